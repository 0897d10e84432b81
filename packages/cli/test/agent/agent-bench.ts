import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, systemClock } from '@svc/core'
import { type Agent, startAgent } from '../../src/agent/agent.ts'
import type { AgentOptions, AgentTiming } from '../../src/agent/agent-options.ts'
import { ScriptedPlane } from './scripted-plane.ts'

const QUICK: Partial<AgentTiming> = {
  pollMs: 20,
  heartbeatMs: 50,
  heartbeatFloorMs: 20,
  renewMs: 50,
  logIntervalMs: 20,
  killGraceMs: 5_000,
  farewellMs: 2_000,
  retryFloorMs: 10,
  retryCeilingMs: 50,
  requestTimeoutMs: 5_000,
}

/** A plane, folders and the tools for running agents against them; gone with the test. */
export class AgentBench implements AsyncDisposable {
  readonly plane: ScriptedPlane
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-agent-'))
  readonly logged: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[] = []
  readonly #agents: Agent[] = []

  private constructor(plane: ScriptedPlane) {
    this.plane = plane
    execFileSync('mkdir', ['-p', this.handlersDir])
  }

  static async open(): Promise<AgentBench> {
    return new AgentBench(await ScriptedPlane.start())
  }

  get stateDir(): string {
    return join(this.folder, 'state')
  }

  get handlersDir(): string {
    return join(this.folder, 'handlers')
  }

  /** Writes a handler as a shell script. */
  handler(kind: string, script: string): void {
    writeFileSync(join(this.handlersDir, kind), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }

  options(more: Partial<AgentOptions> = {}): AgentOptions {
    const { url, licenseKey } = this.plane
    const { stateDir, handlersDir } = this
    const known = {
      url,
      licenseKey,
      stateDir,
      handlersDir,
      hostname: 'host-1',
      version: '1.2.3',
      clock: systemClock,
    }
    return { ...known, log: this.#log(), ...more, timing: { ...QUICK, ...more.timing } }
  }

  start(more: Partial<AgentOptions> = {}): Agent {
    const agent = startAgent(this.options(more))
    // A test that expects a refusal awaits `done` itself.
    agent.done.catch(() => {})
    this.#agents.push(agent)
    return agent
  }

  /** The state folder's memory. */
  async memory(): Promise<Record<string, unknown>> {
    return JSON.parse(await readFile(join(this.stateDir, 'agent.json'), 'utf8'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent[Symbol.asyncDispose]()))
    await this.plane[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #log(): Log {
    const at = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => {
      this.logged.push({ level, message, fields })
    }
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  }
}

/** Waits for something that no request announces; the test's own time limit bounds it. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5)
}

/** Whether a process with this id is there and no zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/\) [ZX] /.test(stat)
}

/** The number that a handler wrote into a file. */
export async function readNumber(path: string): Promise<number> {
  let text = ''
  await eventually(async () => {
    text = await readFile(path, 'utf8').catch(() => '')
    return text.endsWith('\n')
  })
  return Number(text)
}

/** The names in a folder; none when it is not there. */
export const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => [])
