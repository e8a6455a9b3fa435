import { openGrowthDatabase } from './growthDatabase.ts'
import { FULL, SMALL } from './scale.ts'

/* Makes a database beforehand: the name of the scale and how many processes make rows at once. */
const [name = 'full', processes = '2'] = process.argv.slice(2)
const scale = name === 'small' ? SMALL : FULL
const server = await openGrowthDatabase({ scale, processes: Number(processes), print: text => void process.stdout.write(`${text}\n`) })
await server.stop()
