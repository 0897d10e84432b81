import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CALLED_OFF, type Task, type TaskFault, tooLong, UNSEEN } from '../task.ts'
import type { AppUser } from './app-user.ts'
import { containerTaskText } from './container-text.ts'
import { OutputSpool } from './output-spool.ts'
import { SYSTEM } from './places.ts'
import type { Systemctl, UnitState } from './systemctl.ts'
import { feed, makeInput } from './task-input.ts'
import { writeUnitFiles } from './unit-files.ts'
import { END_FILE, INPUT_FILE, taskName, taskText, unitFolder } from './unit-text.ts'

/** Waits between two looks: the first, and the longest, which those after it come to. */
const LOOK_FIRST_MS = 20
const LOOK_MS = 200
/** Looks between two questions to systemd, which tell of a unit that was ended without a word. */
const LOOKS_A_STATE = 25
const NO_MEMORY = 'it needed more memory than it may have'

/** A task, and the user and the places of its unit. */
export interface TaskAs {
  readonly task: Task
  readonly user: AppUser
  /** Lines of its unit about its places and limits. */
  readonly lines: readonly string[]
}

/** A task, and the parts of the host that it needs. */
export interface UnitTask extends TaskAs {
  readonly systemctl: Systemctl
  /** Whether an earlier supervisor has started it. */
  readonly isLeft: boolean
  /** Aborted when this supervisor ends: the next one waits for the task. */
  readonly leaving: AbortSignal
}

/** Runs a task as a unit of systemd, or waits for the one that an earlier supervisor started. */
export async function runUnitTask(
  { task, user, lines, systemctl, isLeft, leaving }: UnitTask,
  signal: AbortSignal,
): Promise<TaskFault> {
  const unit = taskName(task)
  const folder = unitFolder(unit)
  const file = join(SYSTEM.transient, unit)
  const over = new AbortController()
  if (isLeft && !existsSync(folder)) return UNSEEN
  try {
    if (!isLeft) {
      place(task, user, lines)
      const pipe = join(folder, INPUT_FILE)
      if (task.input !== undefined) await makeInput(pipe, user)
      await systemctl.reload()
      if (task.input !== undefined) void feed(pipe, task.input, over.signal)
      // A program that has failed before systemd saw it begin has its end noted as any other.
      await systemctl.begin(unit).catch((error: unknown) => {
        if (!existsSync(join(folder, END_FILE))) throw error
      })
    }
    using output = new OutputSpool(join(folder, 'output'), task.onLine)
    return await ended({ task, systemctl, leaving }, signal, () => output.look())
  } finally {
    over.abort()
    rmSync(file, { force: true })
    rmSync(folder, { recursive: true, force: true })
    await systemctl.reload()
    await systemctl.forget(unit)
  }
}

function place(task: Task, user: AppUser, lines: readonly string[]): void {
  const { app, name, folder, command, container, env, stop, volumes, memory, cpus, timeoutS } = task
  const unit = taskName(task)
  const { hosts, sockets, capabilities } = task
  const seen = { volumes, hosts, sockets, capabilities }
  const hasInput = task.input !== undefined
  writeUnitFiles({
    folder: unitFolder(unit),
    user,
    command,
    env,
    stop,
    container,
    name,
    ...seen,
    isKept: false,
    hasInput,
  })
  const choices = { app, name, folder, user: user.name, stop, lines, memory, cpus, timeoutS }
  const textOf = container === undefined ? taskText : containerTaskText
  writeFileSync(join(SYSTEM.transient, unit), textOf(choices), { mode: 0o644 })
}

async function ended(
  { task, systemctl, leaving }: Pick<UnitTask, 'task' | 'systemctl' | 'leaving'>,
  signal: AbortSignal,
  look: () => void,
): Promise<TaskFault> {
  const unit = taskName(task)
  const end = join(unitFolder(unit), END_FILE)
  for (let looks = 1; !existsSync(end); looks += 1) {
    look()
    // Nothing is known of its end, and nothing may be taken away.
    if (leaving.aborted) return new Promise(() => {})
    if (signal.aborted) {
      await systemctl.stop(unit, task.stop.grace_s * 1000)
      return CALLED_OFF
    }
    if (looks % LOOKS_A_STATE === 0) {
      const state = (await systemctl.show([unit])).get(unit)
      if (isGone(state) && !existsSync(end)) return unnoted(state, task.timeoutS)
    }
    await pause(Math.min(LOOK_MS, LOOK_FIRST_MS * 1.3 ** looks))
  }
  return faultOf(readFileSync(end, 'utf8').trim(), task.timeoutS)
}

const isGone = (state: UnitState | undefined): boolean =>
  state === undefined || state.active === 'inactive' || state.active === 'failed'

/** The fault of a task that left no process to note its end: systemd knows how it failed. */
function unnoted(state: UnitState | undefined, timeoutS: number): string {
  if (state?.active !== 'failed') return UNSEEN
  if (state.result === 'timeout') return tooLong(timeoutS)
  if (state.result === 'oom-kill') return NO_MEMORY
  return state.hasRun ? `it ended with ${state.end}` : UNSEEN
}

/** Reads the words of systemd.exec(5): the result, and the code and the status of the process. */
function faultOf(words: string, timeoutS: number): TaskFault {
  const [result, code, status] = words.split(' ')
  if (result === 'success' && status === '0') return undefined
  if (result === 'timeout') return tooLong(timeoutS)
  if (result === 'oom-kill') return NO_MEMORY
  return code === 'exited' ? `it ended with exit code ${status}` : `it ended with SIG${status}`
}
