import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Problem } from '@svc/core'
import { ran } from './systemctl.ts'

const CADDYFILE = '/etc/caddy/Caddyfile'
const SITES = '/etc/caddy/svc'
const IMPORT = `import ${SITES}/*.caddy`
const SOCKET = 'unix//var/lib/caddy/admin.sock'
const CANDIDATE = '/etc/caddy/.svc-candidate'

const PROXY_GROUP = 'caddy'
const WORDS = 300

const refused = (detail: string): Problem => new Problem('conflict', { detail })

/**
 * Runs a command of the proxy as its user, with an empty folder for data.
 * `systemctl reload` would wait for minutes: a proxy that refuses a file does not tell systemd that it is
 * done.
 */
const asProxy = (...words: readonly string[]): Promise<string> =>
  ran(
    'systemd-run',
    ...['--quiet', '--wait', '--pipe', '--collect', '--property=User=caddy', '--property=PrivateTmp=yes'],
    ...['--setenv=HOME=/tmp', '--setenv=XDG_DATA_HOME=/tmp', '--setenv=XDG_CONFIG_HOME=/tmp'],
    'caddy',
    ...words,
  ).catch((error: Error) => {
    // The innermost fault is the last one of a long line.
    throw refused(`the proxy refuses it: ${error.message.slice(-WORDS)}`)
  })

/** The lines that the operator's Caddyfile has to begin with, and end with. */
const ADVICE = `write this above everything else in ${CADDYFILE}: { admin ${SOCKET} } in three lines, \
and below: ${IMPORT}; then systemctl restart caddy`

/** The proxy of the host: Caddy, whose own file the operator keeps. */
export class Caddy {
  /**
   * Puts files in the place of all that svc has there, and has Caddy read them. The whole is judged before
   * anything is put in its place: a file that Caddy cannot read would keep it from starting.
   * @param isWanted whether visitors shall reach something new: a proxy that does not run reads the rest at
   * its next start
   * @throws Problem `conflict` in words; the files then are as before
   */
  async apply(files: ReadonlyMap<string, string>, isWanted: boolean): Promise<void> {
    const isActive = await this.#isActive()
    if (isWanted && !isActive) throw refused('the proxy does not run: systemctl start caddy')
    await this.judge(files)
    const before = await filesIn(SITES)
    await place(files)
    if (!isActive) return
    try {
      await asProxy('reload', '--force', '--config', CADDYFILE)
    } catch (error) {
      await place(before)
      throw error
    }
  }

  async #isActive(): Promise<boolean> {
    const state = await ran('systemctl', 'show', '--value', '--property=ActiveState', 'caddy')
    return ['active', 'reloading'].includes(state.trim())
  }

  /** Reads the whole as it would be, and how it is administrated. */
  async judge(files: ReadonlyMap<string, string>): Promise<void> {
    const own = await readFile(CADDYFILE, 'utf8').catch(() => {
      throw refused('this host has no proxy: install the package caddy')
    })
    if (!own.split('\n').some((line) => line.trim() === IMPORT))
      throw refused(`the proxy reads no file of svc: ${ADVICE}`)
    try {
      await rm(CANDIDATE, { recursive: true, force: true })
      await forProxy(CANDIDATE)
      await mkdir(join(CANDIDATE, 'svc'))
      for (const [name, text] of files) await writeFile(join(CANDIDATE, 'svc', name), text)
      // It lies beside the operator's own file: imports there are read from the same folder.
      const candidate = join(dirname(CADDYFILE), '.svc-candidate.caddyfile')
      await writeFile(candidate, own.replaceAll(IMPORT, `import ${CANDIDATE}/svc/*.caddy`))
      try {
        const named = ['--adapter', 'caddyfile', '--config', candidate]
        demandSocket(await ran('caddy', 'adapt', ...named))
        // A file that can be read may hold values that no module takes.
        await asProxy('validate', ...named)
      } finally {
        await rm(candidate, { force: true })
      }
    } finally {
      await rm(CANDIDATE, { recursive: true, force: true })
    }
  }
}

/** Why the proxy of this host takes no domains; undefined when it does. */
export async function examineProxy(): Promise<string | undefined> {
  try {
    await new Caddy().judge(await filesIn(SITES))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Any user of the host can replace every site by an administration that listens at a port. */
function demandSocket(adapted: string): void {
  const config: unknown = JSON.parse(adapted)
  const admin = objectIn(config, 'admin')
  const listen = admin?.listen
  const isOff = admin?.disabled === true
  if (isOff) throw refused(`the administration of the proxy is off, so it reads no new domains: ${ADVICE}`)
  if (typeof listen === 'string' && listen.startsWith('unix/')) return
  throw refused(`every user of this host can replace the sites of the proxy: ${ADVICE}`)
}

function objectIn(value: unknown, key: string): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found: unknown = Object.entries(value).find(([name]) => name === key)?.[1]
  return typeof found === 'object' && found !== null ? Object.fromEntries(Object.entries(found)) : undefined
}

/** Makes a folder that the proxy reads, and no other user: digests of passwords stand in its files. */
async function forProxy(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o750 })
  await ran('chgrp', PROXY_GROUP, folder)
  await chmod(folder, 0o750)
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  if (!existsSync(folder)) return new Map()
  const names = (await readdir(folder)).filter((name) => name.endsWith('.caddy'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return new Map(names.map((name, index) => [name, texts[index] ?? '']))
}

async function place(files: ReadonlyMap<string, string>): Promise<void> {
  await forProxy(SITES)
  for (const [name, text] of files) {
    await writeFile(join(SITES, `.${name}.new`), text, { mode: 0o644 })
    await rename(join(SITES, `.${name}.new`), join(SITES, name))
  }
  for (const name of (await filesIn(SITES)).keys()) if (!files.has(name)) await rm(join(SITES, name))
}
