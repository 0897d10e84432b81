import { join } from 'node:path'
import type { BootedMachine } from '../../test/packed/booted-machine.ts'
import { HostedMachine } from '../../test/packed/hosted-machine.ts'
import type { Bench } from './bench.ts'
import { Histogram } from './measure/histogram.ts'
import { type Done, type Running, Skipped, type Variant } from './scenario.ts'

/** A way to bring a commit to visitors. */
export interface DeployVariant {
  readonly name: string
  /** Prepares a booted machine that has the commits in `/srv/shop`. Returns the measured step. */
  readonly prepare: (machine: BootedMachine, bench: Bench) => Promise<DeployStep>
}

/** Brings the commit of a number to visitors, and returns the milliseconds until they saw it. */
export type DeployStep = (sha: string, number: number) => number

/** Commits that a variant has: more than a run takes. */
const COMMITS = 200
const STEP_MS = 60_000

const SERVER = `import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
const word = readFileSync('word', 'utf8').trim()
createServer((request, response) => response.end(word)).listen(process.env.PORT, '127.0.0.1')
`
const SVC = JSON.stringify({
  version: 1,
  processes: { web: { command: 'exec node server.js', health: { path: '/' } } },
  stop: { grace_s: 1 },
})

/** Makes the commits of the repository `/srv/shop`, each with a word of its own, and returns their ids. */
function commits(machine: BootedMachine): readonly string[] {
  machine.write('/srv/shop/server.js', SERVER)
  machine.write('/srv/shop/package.json', '{"type":"module"}')
  machine.write('/srv/shop/svc.json', SVC)
  const said = machine.sh(`cd /srv/shop; git init --quiet --initial-branch=main .
    git config --system --add safe.directory '*'; git config user.name a; git config user.email a@example.com
    for number in $(seq ${COMMITS}); do
      echo "word $number" > word; git add --all; git commit --quiet --message change; git rev-parse HEAD
    done`)
  return said.split('\n')
}

async function made(machine: BootedMachine, prepared: () => Promise<DeployStep>) {
  return { shas: commits(machine), step: await prepared() }
}

/**
 * One deploy after the other on a booted machine of the variant's own.
 * @throws Skipped when no machine starts here
 */
export const deployVariant = ({ name, prepare }: DeployVariant): Variant => ({
  name,
  start: async (bench): Promise<Running> => {
    process.env.SVC_TEST_PACKED = join(await bench.folder(), 'packed')
    const machine = await HostedMachine.boot(['nft', 'git', 'curl', 'bash'])
    if (typeof machine === 'string') throw new Skipped(machine)
    const stop = () => machine[Symbol.asyncDispose]()
    const { shas, step } = await made(machine, () => prepare(machine, bench)).catch(async (error) => {
      await stop()
      throw error
    })
    let number = 0
    const work = async (seconds: number): Promise<Done> => {
      const latency = new Histogram()
      const began = performance.now()
      let operations = 0
      while (performance.now() - began < seconds * 1000) {
        number = (number % COMMITS) + 1
        latency.record(step(shas[number - 1] ?? '', number) * 1000)
        operations += 1
      }
      return { operations, seconds: (performance.now() - began) / 1000, latency: latency.toJSON() }
    }
    return { work, stop }
  },
})

/** Runs a program of the machine that prints milliseconds. @throws Error with its words when it fails */
export function milliseconds(machine: BootedMachine, command: readonly string[], input = ''): number {
  const { code, out, err } = machine.run(command, input, STEP_MS)
  const measured = Number(out.trim())
  if (code === 0 && measured > 0) return measured
  throw new Error(`${command.join(' ')} ended with ${code}: ${err}${out}`)
}
