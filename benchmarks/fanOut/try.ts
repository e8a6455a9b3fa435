import { reportScenario } from './report.ts'
import { runScenario } from './scenario.ts'
import { hotTokenLatency, hotTokenThroughput } from './scenarios/hotToken.ts'
import { wholeBlock } from './scenarios/wholeBlock.ts'
const rounds = Number(process.argv[2] ?? 1)
for (const s of [hotTokenThroughput({ connections: 1000, size: 'small', blocks: 40 }), hotTokenThroughput({ connections: 1000, size: 'large', blocks: 20 }), hotTokenLatency({ connections: 1000, size: 'small', blocks: 60 }), wholeBlock({ connections: 1000, tokens: 50, blocks: 6 })])
  console.log(reportScenario(await runScenario(s, rounds, () => {})))
