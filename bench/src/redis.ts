import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../test/support/free-port.ts'
import { Skipped } from './scenario.ts'

/** A Redis of the bench's own, that keeps its data as most do: the log is synced every second. */
export interface Redis extends AsyncDisposable {
  readonly port: number
  readonly pid: number
}

/** Starts `redis-server` in a folder. @throws Skipped when there is none on this machine */
export async function startRedis(folder: string): Promise<Redis> {
  const port = await freePort()
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder]
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '']
  const child = spawn('redis-server', [...settings, ...durable, '--maxmemory-policy', 'noeviction'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // Nothing tells it that its parent is gone.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const absent = once(child, 'error').then(() => {
    throw new Skipped('there is no redis-server on this machine')
  })
  const ready = (async () => {
    for await (const line of createInterface(child.stdout)) if (line.includes('Ready to accept')) return
    throw new Skipped('redis-server did not start')
  })()
  await Promise.race([ready, absent])
  absent.catch(() => {})
  child.stdout.resume()
  return {
    port,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', kill)
      kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
