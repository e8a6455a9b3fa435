import { SCALES } from './scale.ts'
import { spoolTokens } from './spoolTokens.ts'

/* Generates one share of the tokens. Arguments: the name of the scale, a folder, the share and the number of shares. */
const [name = '', folder = '', share = '', shares = ''] = process.argv.slice(2)
const scale = SCALES.find(one => one.name === name)
if (scale === undefined) throw new Error(`no scale ${name}`)
let complete = false
process.on('disconnect', () => process.exit(complete ? 0 : 1))
spoolTokens(scale, folder, { share: Number(share), shares: Number(shares), onProgress: trades => process.send?.(trades) })
complete = true
process.disconnect?.()
