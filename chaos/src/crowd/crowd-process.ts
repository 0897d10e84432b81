// Many light agents in one process. It reads its orders as a line of JSON on standard input, then perhaps the
// word `calm`, and ends when standard input ends. It prints its counts twice a second.
import { createInterface } from 'node:readline'
import { Random } from '../../../packages/testing/src/simulator/random.ts'
import { Crowd, type CrowdOrders } from './crowd.ts'
import { LightAgent } from './light-agent.ts'

const COUNTS_MS = 500

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const orders = JSON.parse((await lines.next()).value ?? '') as CrowdOrders
const random = new Random(orders.seed)
const crowd = new Crowd(orders, random)
const agents = orders.hosts.map((host) => new LightAgent(crowd, host).run())
const told = setInterval(() => process.stdout.write(`${JSON.stringify(crowd.counts)}\n`), COUNTS_MS)
for (let line = await lines.next(); !line.done; line = await lines.next())
  if (line.value === 'calm') crowd.isWild = false
clearInterval(told)
crowd[Symbol.dispose]()
await Promise.all(agents)
process.stdout.write(`${JSON.stringify(crowd.counts)}\n`)
