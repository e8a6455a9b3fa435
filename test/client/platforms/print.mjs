import process from 'node:process'
import { use } from './use.mjs'

process.stdout.write(JSON.stringify(await use()))
