import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SvcProcess } from '../../packages/cli/test/support/svc-process.ts'
import type { Customer } from './customer.ts'
import type { Document, Plane } from './plane.ts'

/** Jobs of the fixtures, by their stories. */
export interface Jobs {
  readonly succeeded: string
  readonly failed: string
  readonly retried: string
  readonly cancelled: string
  readonly scheduled: string
  /** Its agent was killed while its handler ran. */
  readonly running: string
  /** Waits for the host of the agent. */
  readonly pending: string
  /** Two of one application, with variables that no release sealed then. The second waits for the first. */
  readonly first: string
  readonly second: string
}

/** The agent's place: its program, its state folder and its handlers. */
export interface AgentParts {
  readonly program: readonly string[]
  readonly cwd: string
  readonly url: string
  readonly key: string
  readonly stateDir: string
  readonly handlers: string
}

export const HOST = 'web-1'
/** Lines of the deployment that succeeded: several pieces of a log. */
export const LINES = 3000
export const VARIABLES = { GREETING: 'good morning', FORGE_TOKEN: 'made-up-value-of-a-variable' }
const FAR = '2090-01-01T00:00:00Z'
const LOOK_MS = 100
const PATIENCE_MS = 60_000

/** Starts an agent of any release. */
export const startAgent = ({ program, cwd, url, key, stateDir, handlers }: AgentParts): SvcProcess =>
  new SvcProcess(
    ['run', '--url', url, '--state-dir', stateDir, '--handlers', handlers, '--poll-seconds', '1'],
    { cwd, program, env: { SERVICE_LICENSE_KEY: key } },
  )

/** Writes handlers. `stop` says its process and ends when it is killed, or at once with `isQuick`. */
export function writeHandlers(folder: string, { isQuick = false } = {}): void {
  mkdirSync(folder, { recursive: true })
  const scripts = {
    deploy: `. "$SVC_ENV_FILE"
case "$SVC_APP" in
  broken) echo 'the image is not there' >&2; exit 3 ;;
  site) i=0; while [ $i -lt ${LINES} ]; do i=$((i + 1)); echo "line $i"; done ;;
  *) echo "greeting \${GREETING-none}" ;;
esac`,
    stop: isQuick ? 'echo stopped' : `echo $$ > ${join(folder, 'stop.pid')}; echo began; exec sleep 600`,
    prune: 'echo pruned',
  }
  for (const [kind, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, kind), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, kind), 0o755)
  }
}

/** Waits until an operation's answer is as wanted. */
export async function until<D = Document>(
  look: () => Promise<D>,
  isDone: (answer: D) => boolean,
  what: string,
): Promise<D> {
  for (const end = performance.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
    const answer = await look()
    if (isDone(answer)) return answer
    if (performance.now() > end) throw new Error(`${what} in vain: ${JSON.stringify(answer)}`)
  }
}

type ShownJob = {
  readonly job: { readonly state: string; readonly exit_code?: number; readonly attempt: number }
}

/** Waits for the end of a job, and returns it. */
export const ended = (plane: Plane, token: string, job: string): Promise<ShownJob> =>
  until(
    () => plane.operation<ShownJob>(token, 'jobs.show', { job }),
    (shown) => ['succeeded', 'failed'].includes(shown.job.state),
    `waited for ${job}`,
  )

/** Lets the host do its jobs, and kills its agent in the middle of one. */
export async function doWork(plane: Plane, { token, license }: Customer, agent: AgentParts): Promise<Jobs> {
  writeHandlers(agent.handlers)
  const run = <D = Document>(name: string, input: Document) => plane.operation<D>(token, name, input)
  const enqueue = async (kind: string, input: Document) =>
    (await run<{ job: { id: string } }>('jobs.enqueue', { kind, license: license.id, host: HOST, ...input }))
      .job.id
  const deploy = (app: string, env?: Document) =>
    enqueue('deploy', {
      payload: { app, source: { type: 'image', image: `${app}:1.2` }, ...(env && { env }) },
    })
  await using process = startAgent(agent)
  const isThere = ({ servers }: { servers: readonly { hostname: string }[] }) =>
    servers.some(({ hostname }) => hostname === HOST)
  await until(
    () => run<{ servers: { hostname: string }[] }>('fleet.servers', {}),
    isThere,
    'waited for the host',
  )
  const succeeded = await deploy('site')
  await ended(plane, token, succeeded)
  const failed = await deploy('broken')
  await ended(plane, token, failed)
  const retried = (await run<{ job: { id: string } }>('jobs.retry', { job: failed })).job.id
  await ended(plane, token, retried)
  const cancelled = await enqueue('prune', { run_at: FAR })
  await run('jobs.cancel', { job: cancelled })
  const scheduled = await enqueue('prune', { run_at: FAR })
  const running = await enqueue('stop', { payload: { app: 'site' } })
  const hasBegun = ({ logs }: { logs: readonly { line: string }[] }) =>
    logs.some(({ line }) => line === 'began')
  await until(
    () => run<{ logs: { line: string }[] }>('jobs.logs', { job: running }),
    hasBegun,
    'waited for its log',
  )
  process.kill('SIGKILL')
  await process.end()
  globalThis.process.kill(Number(readFileSync(join(agent.handlers, 'stop.pid'), 'utf8')), 'SIGKILL')
  const pending = await enqueue('prune', { urgent: true })
  const [first, second] = [await deploy('queue', VARIABLES), await deploy('queue', VARIABLES)]
  return { succeeded, failed, retried, cancelled, scheduled, running, pending, first, second }
}
