import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HandlerUser, outputAs } from './handler-user.ts'
import type { WorkFolder } from './work-folder.ts'

const LOOK_FIRST_MS = 20
const LOOK_SELDOM_MS = 200
const MAX_SWEEPS = 5
const SWEEP_MS = 25
const MAX_NAMED = 5

/** A process that a handler has started. */
export interface Stray {
  readonly pid: number
  /** Its name as the kernel has it; the process can choose it. */
  readonly name: string
}

/** Marks that identify processes of a handler. */
export interface StrayMarks {
  /** Every process that the handler started has the handler's folder in its environment. */
  readonly folder: Pick<WorkFolder, 'path' | 'handlerPath'>
  /** The owner of the processes, if not the agent's user. */
  readonly user: HandlerUser | undefined
  /** The session that the handler led: programs with an environment of their own are mostly still in it. */
  readonly session?: number | undefined
}

type Signal = 'TERM' | 'KILL' | '0'

/**
 * Ends every process that a handler has started and that still runs: SIGTERM, and SIGKILL to the rest after
 * `graceMs`. Returns the processes found. Needs /proc; elsewhere it finds nothing, nor does it find a process
 * that left the session with an environment of its own.
 */
export async function endStrays(marks: StrayMarks, graceMs: number): Promise<readonly Stray[]> {
  const found = await sweep(marks, 'TERM')
  if (found.length === 0) return found
  for (
    let waited = 0, look = LOOK_FIRST_MS;
    waited < graceMs;
    waited += look, look = Math.min(look * 2, LOOK_SELDOM_MS)
  ) {
    await sleep(Math.min(look, graceMs - waited))
    if ((await sweep(marks, '0')).length === 0) return found
  }
  await killStrays(marks)
  return found
}

/** Kills every process that a handler has started, also one whose agent was itself killed. Says how many. */
export async function killStrays(marks: StrayMarks): Promise<number> {
  let killed = 0
  for (let round = 0; round < MAX_SWEEPS; round += 1) {
    const found = await sweep(marks, 'KILL')
    if (found.length === 0) break
    killed += found.length
    await sleep(SWEEP_MS)
  }
  return killed
}

/** Names strays in a line of the job's log. */
export function strayLine(strays: readonly Stray[]): string {
  const named = strays.slice(0, MAX_NAMED).map(({ pid, name }) => `${name} (${pid})`)
  const more = strays.length > MAX_NAMED ? [`${strays.length - MAX_NAMED} more`] : []
  const what = strays.length === 1 ? 'a process' : `${strays.length} processes`
  return `[agent] ended ${what} that the handler left running: ${[...named, ...more].join(', ')}`
}

/** Sends a signal to every process with these marks, and gives those that took it. */
async function sweep({ folder, user, session }: StrayMarks, signal: Signal): Promise<readonly Stray[]> {
  if (!user) return sweepOwn(folder.path, session, signal)
  const mark = `SVC_WORK_DIR=${folder.handlerPath}`
  const words = ['-c', SWEEP, 'sh', mark, String(session ?? ''), signal]
  const text = await outputAs(user, 'sh', words).catch(() => '')
  return [...text.matchAll(/^(\d+) (.*)$/gm)].map(([, pid, name = '']) => ({
    pid: Number(pid),
    name: plain(name),
  }))
}

// Root needs further capabilities to read the variables of others; the user needs none to read its own.
const SWEEP = `
mark=$1 session=$2 signal=$3
for process in /proc/[0-9]*; do
  set -f
  { read -r stat <"$process/stat"; } 2>/dev/null || continue
  set -- \${stat##*) }
  case $1 in Z | X) continue ;; esac
  if [ -z "$session" ] || [ "$4" != "$session" ]; then
    [ -r "$process/environ" ] || continue
    { tr '\\0' '\\n' <"$process/environ"; } 2>/dev/null | grep -qxF "$mark" || continue
  fi
  { read -r name <"$process/comm"; } 2>/dev/null
  kill -s "$signal" "\${process#/proc/}" 2>/dev/null && printf '%s %s\\n' "\${process#/proc/}" "$name"
done`

async function sweepOwn(
  path: string,
  session: number | undefined,
  signal: Signal,
): Promise<readonly Stray[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const looks = await Promise.all(pids.map((pid) => strayOf(pid, path, session)))
  return looks.filter((stray) => stray !== undefined && signalOne(stray.pid, signal)) as Stray[]
}

async function strayOf(pid: number, path: string, session: number | undefined): Promise<Stray | undefined> {
  const [environment, stat] = await Promise.all(
    ['environ', 'stat'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
  )
  // The name stands in brackets and may hold anything; behind it: state, parent, group, session.
  const [, name = '', rest = ''] = /^\d+ \(([\s\S]*)\) (.*)$/m.exec(stat ?? '') ?? []
  const [state = 'X', , , its] = rest.split(' ')
  if ('ZX'.includes(state)) return undefined
  const marked = session === Number(its) || isMarked(environment ?? '', `SVC_WORK_DIR=${path}`)
  return marked ? { pid, name: plain(name) } : undefined
}

/** An earlier version gave handlers the work folder itself. */
const isMarked = (environment: string, mark: string): boolean =>
  environment.split('\0').some((entry) => entry === mark || entry.startsWith(`${mark}/`))

function signalOne(pid: number, signal: Signal): boolean {
  try {
    return process.kill(pid, signal === '0' ? 0 : `SIG${signal}`)
  } catch {
    return false
  }
}

const plain = (name: string): string => name.replace(/[^ -~]/g, '?')
