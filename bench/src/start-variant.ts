import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Bench } from './bench.ts'
import { Histogram } from './measure/histogram.ts'
import { reapedCpuMicros, treeCpuMicros } from './measure/process-cpu.ts'
import type { Done, Running, Variant } from './scenario.ts'

/** A program that is started again and again. */
export interface StartVariant {
  readonly name: string
  /** Arguments of Node, and the program's environment. */
  readonly program: (
    bench: Bench,
  ) => Promise<{ readonly args: readonly string[]; readonly env?: NodeJS.ProcessEnv }>
  /** Said on stderr when it is ready; absent: it is done when it ends. */
  readonly ready?: RegExp
}

/** One start after the other, timed until the program is ready. */
export const startVariant = ({ name, program, ready }: StartVariant): Variant => ({
  name,
  start: async (bench): Promise<Running> => {
    const { args, env } = await program(bench)
    const work = async (seconds: number): Promise<Done> => {
      const latency = new Histogram()
      const began = performance.now()
      let operations = 0
      let cpuMicros = 0
      while (performance.now() - began < seconds * 1000) {
        const start = performance.now()
        const reaped = reapedCpuMicros(process.pid)
        const child = spawn(process.execPath, args, {
          env: { ...process.env, ...env },
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        await (ready === undefined ? ended(child) : said(child, ready))
        latency.record((performance.now() - start) * 1000)
        operations += 1
        if (ready === undefined) cpuMicros += reapedCpuMicros(process.pid) - reaped
        else {
          cpuMicros += treeCpuMicros(child.pid ?? 0) ?? 0
          await killed(child)
        }
      }
      const took = (performance.now() - began) / 1000
      return {
        operations,
        seconds: took,
        latency: latency.toJSON(),
        figures: { cpuMicros: cpuMicros / operations },
      }
    }
    return { work, stop: async () => {} }
  },
})

async function ended(child: ChildProcess): Promise<void> {
  child.stderr?.resume()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the program ended with ${code}`)
}

async function said(child: ChildProcess, ready: RegExp): Promise<void> {
  if (child.stderr === null) throw new Error('the program has no stderr')
  const lines: string[] = []
  for await (const line of createInterface(child.stderr)) {
    if (ready.test(line)) return
    lines.push(line)
  }
  throw new Error(`the program ended before it was ready: ${lines.slice(-3).join(' ')}`)
}

async function killed(child: ChildProcess): Promise<void> {
  child.stderr?.destroy()
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
