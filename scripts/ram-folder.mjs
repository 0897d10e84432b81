// A folder in memory for the files of a test run: it makes some thousand databases and data folders of many
// small files each. On a disk, the file system took ten times as long to copy a database.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const PLACE = '/dev/shm'
const TMPFS = 0x01021994
const GIB = 1024 ** 3
/** Free space, and free memory beside it for the suites. */
const SPACE = 4 * GIB
const MEMORY = 8 * GIB
const FOR_EVERYBODY = 0o1777

/**
 * Makes the folder, which is removed at the end of this process. Undefined where memory is short or runs no
 * programs, and where TMPDIR names another folder.
 */
export function ramFolder() {
  if (process.env.TMPDIR || !isFit()) return undefined
  const folder = mkdtempSync(`${PLACE}/svc-test-`)
  // Suites run programs as other users.
  chmodSync(folder, FOR_EVERYBODY)
  // A database that is still stopping may write while its folder is removed.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  return folder
}

function isFit() {
  try {
    const { type, bavail, bsize } = statfsSync(PLACE)
    const [, , , options = ''] = mounts().find(([, place]) => place === PLACE) ?? []
    const runsPrograms = options !== '' && !options.split(',').includes('noexec')
    return type === TMPFS && runsPrograms && bavail * bsize >= SPACE && freemem() >= MEMORY
  } catch {
    return false
  }
}

const mounts = () =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
