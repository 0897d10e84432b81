import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Problem } from '@svc/core'

const run = promisify(execFile)
const BOUND_MS = 900_000

/**
 * Runs a program of the host to its end, and returns its output.
 * @throws Problem `conflict` with its last line
 */
export async function ran(program: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run(program, [...args], { timeout: BOUND_MS, maxBuffer: 16_000_000 })
    return stdout
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error))
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    const why = said.split('\n').at(-1) || message.split('\n')[0]
    throw new Problem('conflict', {
      detail: `${program} ${args.find((word) => !word.startsWith('-')) ?? ''} failed: ${why}`,
    })
  }
}

/** The state of a unit. */
export interface UnitState {
  /** `active` while its process runs; `activating` while systemd waits to start it again. */
  readonly active: string
  readonly sub: string
  readonly pid: number
  /** How often systemd started it again. */
  readonly restarts: number
  /** Whether a process of it has ended. */
  readonly hasRun: boolean
  /** The result of systemd.exec(5), such as `timeout`. */
  readonly result: string
  /** How the last process ended, in words. */
  readonly end: string
}

const PROPERTIES = [
  ...['Id', 'ActiveState', 'SubState', 'MainPID', 'NRestarts'],
  ...['Result', 'ExecMainCode', 'ExecMainStatus'],
]

/** How a process ended, by the codes of waitid(2). One that was started again since has none. */
function endOf(code: string, status: string): string {
  if (code === '0') return 'a failure'
  return code === '1' ? `exit code ${status}` : `signal ${status}`
}

function stateIn(text: string): readonly [string, UnitState] {
  const values = new Map(text.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]))
  const of = (name: string) => values.get(name) ?? ''
  const restarts = Number(of('NRestarts'))
  return [
    of('Id'),
    {
      active: of('ActiveState'),
      sub: of('SubState'),
      pid: Number(of('MainPID')),
      restarts,
      hasRun: restarts > 0 || of('ExecMainCode') !== '0',
      result: of('Result'),
      end: endOf(of('ExecMainCode'), of('ExecMainStatus')),
    },
  ]
}

/** Whether a unit is not introduced because systemd has not forgotten one of its name that has ended. */
export const isRemembered = (error: unknown): boolean =>
  error instanceof Problem && /was already loaded/.test(error.message)

/** Returns the words of systemd-run for the text of a unit's file, whose command is of plain words. */
export function transientUnit(text: string): {
  readonly properties: readonly string[]
  readonly command: readonly string[]
} {
  const [lines = ''] = text.split('\n[Install]\n')
  const settings = lines.split('\n').filter((line) => line.includes('='))
  const isCommand = (line: string) => line.startsWith('ExecStart=')
  return {
    properties: settings.filter((line) => !isCommand(line)).map((line) => `--property=${line}`),
    command: settings.filter(isCommand).flatMap((line) => line.slice('ExecStart='.length).split(' ')),
  }
}

/** The units of this machine, by `systemctl`. */
export class Systemctl {
  #waiting: Promise<void> | undefined

  #turn: Promise<unknown> = Promise.resolve()

  /** Has systemd read its files again. Callers of one moment share one reading. */
  reload(): Promise<void> {
    this.#waiting ??= this.#inTurn(async () => {
      this.#waiting = undefined
      await ran('systemctl', 'daemon-reload')
    })
    return this.#waiting
  }

  /** Starts a unit that has started once its program is executed: a reading at that moment would fail it. */
  begin(unit: string): Promise<void> {
    return this.#inTurn(() => this.start(unit))
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async start(unit: string): Promise<void> {
    await ran('systemctl', 'start', unit)
  }

  /**
   * Starts a unit that systemd does not know, by the text of its file and without the file: systemd reads all
   * files of the host again for a new one. The unit is gone with its end.
   * @throws Problem `conflict` when it knows a unit of this name, or the unit does not start
   */
  async introduce(unit: string, text: string): Promise<void> {
    const { properties, command } = transientUnit(text)
    const words = ['--quiet', '--collect', `--unit=${unit}`, ...properties]
    await ran('systemd-run', ...words, '--', ...command)
  }

  /**
   * Asks the unit to end, and kills what is left of it after `graceMs`. One that systemd does not know has
   * ended.
   */
  async stop(unit: string, graceMs: number): Promise<void> {
    const kill = () => void ran('systemctl', 'kill', '--signal=KILL', unit).catch(() => {})
    const timer = setTimeout(kill, graceMs)
    try {
      await ran('systemctl', 'stop', unit)
    } catch (error) {
      if ((await this.show([unit])).get(unit)?.active !== 'inactive') throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Forgets how a unit ended. */
  async forget(unit: string): Promise<void> {
    await ran('systemctl', 'reset-failed', unit).catch(() => {})
  }

  /** The units that run, or begin or end at this moment, whether they have files or not. */
  async running(...patterns: readonly string[]): Promise<readonly string[]> {
    const words = ['--plain', '--no-legend', '--full', '--state=active,activating,deactivating,reloading']
    const text = await ran('systemctl', 'list-units', ...words, ...patterns)
    return text.split('\n').flatMap((line) => line.split(' ')[0] || [])
  }

  /** The states of units by their names. */
  async show(units: readonly string[]): Promise<ReadonlyMap<string, UnitState>> {
    if (units.length === 0) return new Map()
    const text = await ran('systemctl', 'show', `--property=${PROPERTIES.join(',')}`, ...units)
    return new Map(text.trim().split('\n\n').map(stateIn))
  }
}
