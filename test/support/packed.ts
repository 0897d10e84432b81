import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, watch, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const place = () => process.env.SVC_TEST_PACKED ?? ''
const run = promisify(execFile)

/**
 * Returns the folder that `npm run pack` has written. It is made once for all suites of this run: the first
 * suite that asks makes it, the others wait.
 */
export async function packedFolder(): Promise<string> {
  const out = place()
  try {
    mkdirSync(`${out}.lock`)
  } catch {
    return madeByAnother(out)
  }
  try {
    const draft = `${out}.draft`
    await run(process.execPath, [join(root, 'scripts/pack.ts'), '--out', draft], {
      // The Node.js that the lock brings along, as npm's own scripts have it.
      env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
    })
    renameSync(draft, out)
  } catch (error) {
    writeFileSync(`${out}.failed`, (error as Error).message)
    throw error
  }
  return out
}

async function madeByAnother(out: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if (existsSync(out) || existsSync(`${out}.failed`)) resolve()
  }
  const watcher = watch(dirname(out), look)
  look()
  await promise.finally(() => watcher.close())
  if (existsSync(out)) return out
  throw new Error('another suite could not pack: see there')
}
