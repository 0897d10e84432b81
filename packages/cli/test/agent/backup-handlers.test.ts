import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SHIPPED_HANDLERS } from './deploy-bench.ts'

// The handlers alone, with a real restic: one repository for all tests, which end with no lock in it.
const isThere = spawnSync('restic', ['version']).error === undefined
const whole = isThere ? describe : describe.skip

let folder: string
let state: string
let env: Record<string, string>

const at = (...names: string[]) => join(folder, ...names)
const put = (path: string, text = 'content') => {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}
const configure = (...lines: string[]) =>
  writeFileSync(join(state, 'backup.conf'), lines.join('\n'), { mode: 0o600 })
// A lock that is being written has another name.
const locks = () => readdirSync(join(state, 'backups/locks')).filter((name) => /^[0-9a-f]{64}$/.test(name))
const restic = (...words: string[]) => spawnSync('restic', words, { env, encoding: 'utf8' })
const files = (snapshot: string) =>
  restic('ls', snapshot, '--no-lock')
    .stdout.split('\n')
    .filter((line) => line.startsWith(folder))
    .map((line) => line.slice(folder.length + 1))

/** Runs a handler, and reads its report as the agent would. */
function run(kind: string, more: Record<string, string> = {}) {
  const ran = spawnSync(join(SHIPPED_HANDLERS, kind), { env: { ...env, ...more }, encoding: 'utf8' })
  return outcome(ran.status, ran.stdout, ran.stderr)
}
function outcome(status: number | null, stdout: string, stderr: string) {
  const path = at('images.json')
  const images = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  rmSync(path, { force: true })
  return { status, stdout, stderr, images }
}
const backup = (more: Record<string, string> = {}) => run('backup', more)

/** Whether there is a lock before a process ends. Neither is waited for without the other. */
async function locksBeforeItEnds(child: ChildProcess): Promise<boolean> {
  while (locks().length === 0) {
    if (child.exitCode !== null || child.signalCode !== null) return false
    await turn()
  }
  return true
}
/** A restic that keeps its lock until it is ended. */
async function holding(...words: string[]): Promise<ChildProcess> {
  const holder = spawn('restic', words, { env, stdio: ['pipe', 'ignore', 'ignore'] })
  if (!(await locksBeforeItEnds(holder))) throw new Error(`restic ${words[0]} ended before it was looked at`)
  return holder
}
async function ended(child: ChildProcess, signal: NodeJS.Signals) {
  const gone = new Promise((done) => child.once('exit', done))
  child.kill(signal)
  await gone
}

whole('the shipped handlers', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-backup-'))
    state = at('state')
    const apps = join(state, 'apps')
    for (const path of [apps, at('work')]) mkdirSync(path, { recursive: true })
    env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      SVC_STATE_DIR: state,
      SVC_APPS_DIR: apps,
      SVC_WORK_DIR: at('work'),
      SVC_IMAGES_FILE: at('images.json'),
      SVC_JOB_ID: 'job_1',
      RESTIC_REPOSITORY: join(state, 'backups'),
      RESTIC_PASSWORD: 'x',
      RESTIC_CACHE_DIR: join(state, 'backup-cache'),
    }
    expect(restic('init').status).toBe(0)
    put(join(apps, 'own/page'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('an image without a path that was asked for, or with an empty one, is told, and the job fails', () => {
    put(at('data/a file'))
    mkdirSync(at('unmounted'))
    configure(`BACKUP_PATHS="${at('data')}\n${at('mistyped')}\n${at('unmounted')}"`)
    const { status, stderr, images } = backup()
    expect([status, images.summary.total_files_processed]).toEqual([1, 1])
    expect(images.snapshots[0].paths).toEqual([at('data'), at('unmounted')])
    expect(stderr).toContain(`the image is not whole: '${at('mistyped')}' is not there;`)
    expect(stderr).toContain(`'${at('unmounted')}' holds no file: is its disk mounted?`)
    configure(`BACKUP_PATHS="${at('mistyped')}"`)
    expect(backup()).toMatchObject({
      status: 1,
      stderr: `there is nothing to capture: '${at('mistyped')}' is not there\n`,
      images: undefined,
    })
  }, 180_000)

  test('what a link leads to is captured: of an app, of the folder of apps, of a line', () => {
    put(at('disk/shop/page'))
    put(at('disk/blog'))
    symlinkSync(at('disk/shop'), join(state, 'apps/shop'))
    symlinkSync(at('disk/blog'), at('line'))
    symlinkSync(join(state, 'apps'), at('apps'))
    configure('')
    expect(backup({ SVC_APP: 'shop' }).images.summary.total_files_processed).toBe(1)
    expect(files('latest')).toContain('disk/shop/page')
    expect(backup({ SVC_APPS_DIR: at('apps') })).toMatchObject({ status: 0 })
    expect(files('latest')).toEqual(expect.arrayContaining(['disk/shop/page', 'state/apps/own/page']))
    configure(`BACKUP_PATHS=${at('line')}`)
    expect(backup()).toMatchObject({ status: 0 })
    expect(files('latest')).toContain('disk/blog')
    symlinkSync(at('nowhere'), join(state, 'apps/gone'))
    configure('')
    expect(backup().stderr).toContain(`'${join(state, 'apps/gone')}' is not there`)
    rmSync(join(state, 'apps/gone'))
  }, 180_000)

  test('an image of no file is a fault, which takes no good one’s place; so are its drill and its restore', () => {
    put(join(state, 'apps/empty/file'))
    const [good] = backup({ SVC_APP: 'empty' }).images.snapshots.slice(-1)
    rmSync(join(state, 'apps/empty/file'))
    configure('RESTIC_KEEP="--keep-last 1"')
    const { status, images } = backup({ SVC_APP: 'empty' })
    expect([status, images.summary.total_files_processed]).toEqual([1, 0])
    const [{ id: kept }, { id }] = images.snapshots.slice(-2)
    expect(kept).toBe(good.id)
    configure('')
    for (const facts of [{ SVC_DRILL: 'true' }, { SVC_TARGET: at('of nothing') }])
      expect(run('restore', { SVC_CHECKSUM: id, ...facts })).toMatchObject({
        status: 1,
        stderr: 'the image holds no file\n',
      })
    rmSync(join(state, 'apps/empty'), { recursive: true })
  }, 180_000)

  test('an image without a file that could not be read is told, the job fails, and old images stay', () => {
    put(at('closed/open'))
    put(at('closed/shut'))
    chmodSync(at('closed/shut'), 0)
    configure(`BACKUP_PATHS=${at('closed')}`)
    // Without these capabilities root reads no more than its files' modes let it.
    const handler = ['--bounding-set=-dac_override,-dac_read_search', join(SHIPPED_HANDLERS, 'backup')]
    const keeping = { env: { ...env, RESTIC_KEEP: '--keep-last 1' }, encoding: 'utf8' } as const
    const ran = spawnSync('setpriv', handler, keeping)
    const { status, stdout, stderr, images } = outcome(ran.status, ran.stdout, ran.stderr)
    expect([status, images.summary.total_files_processed]).toEqual([1, 1])
    expect(stderr).toContain('the image is not whole: some files could not be read')
    expect(stdout).toContain('no old snapshot is removed')
    rmSync(at('closed'), { recursive: true })
  }, 180_000)

  test('a capture leaves out the repository and the cache, whatever their names hold', () => {
    const odd = join(state, 'cache [1]*')
    configure(`BACKUP_PATHS=${state}`, `RESTIC_CACHE_DIR='${odd}'`)
    expect(backup()).toMatchObject({ status: 0 })
    const names = files('latest')
    expect(names).toContain('state/apps/own/page')
    expect(names.filter((name) => /^state\/(backups|cache)/.test(name))).toEqual([])
    rmSync(odd, { recursive: true })
  }, 180_000)

  test('an empty folder is restored into, with lost+found in it; a drill compares it with what was captured', () => {
    configure('')
    const { images } = backup({ SVC_APP: 'own' })
    const facts = { SVC_CHECKSUM: images.snapshots.at(-1).id }
    mkdirSync(at('volume/lost+found'), { recursive: true })
    symlinkSync(at('volume'), at('to volume'))
    const { ino } = statSync(at('volume'))
    expect(run('restore', { ...facts, SVC_TARGET: at('to volume') })).toMatchObject({ status: 0 })
    expect(statSync(at('volume')).ino).toBe(ino)
    expect(readFileSync(join(at('volume'), state, 'apps/own/page'), 'utf8')).toBe('content')
    expect(readdirSync(at('volume')).sort()).toEqual(['lost+found', folder.split('/')[1]].sort())
    expect(run('restore', { ...facts, SVC_TARGET: at('volume') }).stderr).toContain('holds something already')
    const drill = { ...facts, SVC_DRILL: 'true' }
    const size = String(images.summary.total_bytes_processed)
    expect(run('restore', { ...drill, SVC_SIZE_BYTES: size })).toMatchObject({ status: 0 })
    const short = `the drill failed: 9 bytes were captured, and ${size} came back\n`
    expect(run('restore', { ...drill, SVC_SIZE_BYTES: '9' })).toMatchObject({ status: 1, stderr: short })
  }, 180_000)

  test('while another host prunes, a backup waits, and says for whom', async () => {
    configure('BACKUP_WAIT_SECONDS=1')
    // A check of 64 KB at 1 KiB a second has the repository for itself until it is ended.
    writeFileSync(at('noise'), randomBytes(64 * 1024))
    expect(restic('backup', at('noise')).status).toBe(0)
    const other = await holding('check', '--read-data', '--limit-download', '1')
    const inVain = backup()
    expect(inVain).toMatchObject({ status: 1, images: undefined })
    expect(inVain.stderr).toContain(`already locked exclusively by PID ${other.pid}`)
    expect(inVain.stderr).not.toContain('unlock')
    expect(backup({ SVC_SYNC: 'true' })).toMatchObject({ status: 0 })
    configure('BACKUP_WAIT_SECONDS=39')
    const waiting = spawn(join(SHIPPED_HANDLERS, 'backup'), { env })
    let said = ''
    for await (const data of waiting.stdout) {
      said += data
      // Interrupted, restic removes its lock.
      if (said.includes('waiting for the repository: ')) other.kill('SIGINT')
    }
    expect(said).toContain(`waiting for the repository: unable to create lock in backend`)
    expect(said).toContain('captured\n')
    expect(locks()).toEqual([])
  }, 180_000)

  test('the lock of a living backup stays, and the image is told before old ones are removed', async () => {
    configure('RESTIC_KEEP="--keep-last 1"', 'BACKUP_WAIT_SECONDS=1')
    const other = await holding('backup', '--stdin')
    // Killed, it looks as it does from another container with our host name: a process that is not there.
    await ended(other, 'SIGKILL')
    const [lock] = locks()
    const { status, stdout, images } = backup({ SVC_APP: 'own' })
    expect([status, images.snapshots.length > 0]).toEqual([0, true])
    expect(stdout).toContain('note: old snapshots stay until the next backup: unable to create lock')
    expect(locks()).toEqual([lock])
    restic('unlock')
    expect(backup({ SVC_APP: 'own' })).toMatchObject({ status: 0, stderr: '' })
    const kept = JSON.parse(restic('snapshots', '--json', '--path', join(state, 'apps/own')).stdout)
    expect(kept).toHaveLength(1)
  }, 180_000)

  test('the lock of a backup of this host that was killed is removed; the backup after it prunes', async () => {
    configure('RESTIC_KEEP="--keep-last 1"', 'BACKUP_WAIT_SECONDS=1')
    expect(locks()).toEqual([])
    const options = { env: { ...env, SVC_APP: 'own' }, detached: true, stdio: 'ignore' } as const
    let killed = spawn(join(SHIPPED_HANDLERS, 'backup'), options)
    // A small backup may be over before its lock is seen.
    while (!(await locksBeforeItEnds(killed))) killed = spawn(join(SHIPPED_HANDLERS, 'backup'), options)
    const gone = new Promise((done) => killed.once('exit', done))
    process.kill(-(killed.pid ?? 0), 'SIGKILL')
    await gone
    expect(backup({ SVC_APP: 'own' }).stdout).toContain('removing the locks of programs that were killed')
    expect(locks()).toEqual([])
    expect(readdirSync(state).filter((name) => name.startsWith('.restic-run'))).toEqual([])
    const { stdout, images } = backup({ SVC_APP: 'own' })
    expect(stdout).not.toContain('note:')
    expect(
      images.snapshots.filter(({ paths }: { paths: string[] }) => paths[0]?.endsWith('own')),
    ).toHaveLength(1)
  }, 180_000)
})
