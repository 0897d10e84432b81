import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { hostCommand } from './host-command.ts'

/** A timer that does not need the agent. */
export interface UndoTimer {
  /** Stops it. A failure to stop it does no harm: its script is gone by then. */
  stop(): Promise<void>
}

const UNIT = 'svc-security-undo'

/**
 * Lets somebody else run the undo script after a time: systemd where it runs, since it ends all processes of
 * a service with the service; elsewhere a process of its own session.
 */
export async function startUndoTimer(
  folder: string,
  seconds: number,
  hasSystemd: boolean,
): Promise<UndoTimer> {
  const script = join(folder, 'undo.sh')
  return hasSystemd ? bySystemd(script, seconds) : byProcess(script, seconds)
}

const RUN_IF_THERE = '[ ! -f "$1" ] || exec sh "$1"'

async function bySystemd(script: string, seconds: number): Promise<UndoTimer> {
  await hostCommand('systemctl', 'stop', `${UNIT}.timer`)
  const timing = [`--on-active=${seconds}`, '--timer-property=AccuracySec=1s']
  const run = [
    '--quiet',
    '--collect',
    `--unit=${UNIT}`,
    ...timing,
    '/bin/sh',
    '-c',
    RUN_IF_THERE,
    'sh',
    script,
  ]
  const { code, said } = await hostCommand('systemd-run', ...run)
  if (code !== 0) throw new Error(`systemd takes no timer: ${said}`)
  return { stop: async () => void (await hostCommand('systemctl', 'stop', `${UNIT}.timer`)) }
}

async function byProcess(script: string, seconds: number): Promise<UndoTimer> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  const wait = `sleep ${seconds}; ${RUN_IF_THERE}`
  const child = spawn('/bin/sh', ['-c', wait, 'sh', script], {
    env,
    cwd: '/',
    detached: true,
    stdio: 'ignore',
  })
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  child.unref()
  return {
    stop: async () => {
      // The shell and its sleep are a group.
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL')
    },
  }
}
