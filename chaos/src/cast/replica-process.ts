// `svc serve` as it is, in a process that ends with the run that started it. CHAOS_BUG plants a fault first.
import { Socket } from 'node:net'
import { plant } from '../bugs/plant.ts'

// Waiting for that end must not keep an idle process alive: a server that could not start ends.
process.stdin.on('end', () => process.exit(1)).resume()
if (process.stdin instanceof Socket) process.stdin.unref()
await plant(process.env.CHAOS_BUG)
await import('../../../packages/cli/src/bin.ts')
