import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Time for a start, from the first program to the last service. It takes a second on an idle machine. */
const BOOT_MS = 30_000
const COMMAND_MS = 30_000
/** The exit code of systemd-nspawn when the machine wants to start again. */
const AGAIN = 133

const GROUPS = '/sys/fs/cgroup'

// The machine is this one with a layer of memory over its disk, and without the services that this one has.
// Mounts live in a namespace of their own: they are gone with the last process, however that ends.
// Its control groups are its own: systemd finds no process of another machine among those of a unit.
const START = `set -e
own() { if [ -w "$1/cgroup.procs" ]; then mkdir -p "$1/$2"; echo 0 > "$1/$2/cgroup.procs"; fi; }
own "${GROUPS}/systemd$(sed -n 's/^[0-9]*:name=systemd://p' /proc/self/cgroup)" "$(basename "$1")"
own "${GROUPS}$(sed -n 's/^0:://p' /proc/self/cgroup)" "$(basename "$1")"
mount -t tmpfs tmpfs "$1" && mount -t tmpfs tmpfs /run
cd "$1" && mkdir upper work root
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" root
rm -rf root/etc/systemd/system root/etc/init.d root/etc/rc?.d root/etc/fstab root/var/log/journal
mkdir -p root/etc/systemd/system
ln -s /lib/systemd/system/multi-user.target root/etc/systemd/system/default.target
echo "$2" > root/etc/hostname
rm -f root/etc/machine-id && tr -d - < /proc/sys/kernel/random/uuid > root/etc/machine-id
shift 2
while again=0; systemd-nspawn "$@" || again=$?; [ "$again" = ${AGAIN} ]; do :; done
exit "$again"
`

/** Passes connections on, from a port of loopback or a socket to another one. */
const PASS = `
const { connect, createServer } = require('node:net')
const [from, to] = process.argv.slice(1).map((each) => each.startsWith('/') ? { path: each } : { host: '127.0.0.1', port: Number(each) })
createServer((socket) => {
  const other = connect(to)
  for (const [one, two] of [[socket, other], [other, socket]]) one.on('error', () => two.destroy()).pipe(two)
}).listen(from, () => console.log('ready'))
`

/** A program that has run to its end. */
export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Reasons that can be seen without a start. */
const missing: string =
  process.getuid?.() !== 0
    ? 'only root can start a machine of its own'
    : spawnSync('systemd-nspawn', ['--version']).error
      ? 'this machine has no systemd-nspawn'
      : ''

/** The text of a file of the kernel; empty when its process is gone. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const childrenOf = (pid: string): readonly string[] => textOf(`/proc/${pid}/task/${pid}/children`).split(' ')

/**
 * A machine with the systemd of this one, started for a test: the files of this machine as they are, changes
 * in memory alone, no service but its own, and no network but its loopback.
 */
export class BootedMachine implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-booted-'))
  readonly #child: ChildProcess
  readonly #passing: ChildProcess[] = []
  #said = ''

  private constructor(
    readOnly: Readonly<Record<string, string>>,
    nspawnEnv: Readonly<Record<string, string>>,
    hostname: string,
  ) {
    const binds = Object.entries(readOnly).map(([place, path]) => `--bind-ro=${path}:${place}`)
    const own = ['--register=no', '--keep-unit', '--private-network', '--link-journal=no', '--console=pipe']
    const kept = [
      '--resolv-conf=off',
      '--timezone=off',
      `--machine=svc-test-${process.pid}-${hostname}`,
      `--hostname=${hostname}`,
    ]
    const nspawn = ['-D', join(this.#folder, 'root'), '--boot', ...own, ...kept, ...binds]
    const spaces = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc']
    // A test that is killed takes the machine with it.
    const args = [
      '--pdeathsig',
      'KILL',
      'unshare',
      ...spaces,
      'sh',
      '-c',
      START,
      'sh',
      this.#folder,
      hostname,
      ...nspawn,
    ]
    this.#child = spawn('setpriv', args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...nspawnEnv },
    })
    for (const output of [this.#child.stdout, this.#child.stderr])
      output?.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text
      })
  }

  /**
   * Starts a machine; a reason instead where none can be had.
   * @param readOnly files and folders of this machine, by the place where they stand on the new one
   * @param nspawnEnv variables of systemd-nspawn
   */
  static async boot(
    readOnly: Readonly<Record<string, string>> = {},
    nspawnEnv: Readonly<Record<string, string>> = {},
    hostname = 'web-1',
  ): Promise<BootedMachine | string> {
    if (missing !== '') return missing
    const machine = new BootedMachine(readOnly, nspawnEnv, hostname)
    try {
      await machine.#started()
      return machine
    } catch (error) {
      await machine[Symbol.asyncDispose]()
      return `no machine starts here: ${(error as Error).message}`
    }
  }

  /** Runs a program on the machine, as root. */
  run(command: readonly string[], input: string | Buffer = '', timeout = COMMAND_MS): Ran {
    const leader = this.#leader()
    if (leader === undefined) throw new Error(`the machine does not run: ${this.#said}`)
    const env = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      LC_ALL: 'C',
    }
    const { status, stdout, stderr } = spawnSync(
      'nsenter',
      ['--all', '--root', '--wd', '--target', leader, '--', ...command],
      {
        encoding: 'utf8',
        input,
        env,
        timeout,
      },
    )
    return { code: status, out: stdout, err: stderr }
  }

  /**
   * Runs a script of the shell and returns its output.
   * @throws Error with its output when it fails
   */
  sh(script: string, input: string | Buffer = '', timeout = COMMAND_MS): string {
    const { code, out, err } = this.run(['sh', '-euc', script], input, timeout)
    if (code === 0) return out.trim()
    throw new Error(`${script} ended with ${code}: ${err}${out}`)
  }

  /** Writes a file of root's, and the folders that it lacks. */
  write(path: string, text: string, mode = 0o644): void {
    this.sh(`mkdir -p ${dirname(path)}; cat > ${path}; chmod ${mode.toString(8)} ${path}`, text)
  }

  /** The files and folders on its disk that this machine has not got. */
  added(): readonly string[] {
    const upper = join(this.#folder, 'upper')
    const args = ['--mount', '--target', this.#descendant('sh') ?? '', 'find', upper, '-printf', '/%P\n']
    const { stdout } = spawnSync('nsenter', args, { encoding: 'utf8' })
    return stdout.split('\n').filter((path) => path !== '' && !existsSync(path))
  }

  /** Leads connections to a port of this machine's loopback to the same port of another machine. */
  async reach(port: number, other: BootedMachine): Promise<void> {
    const path = join(this.#folder, `${port}.sock`)
    await other.#pass(path, String(port))
    await this.#pass(String(port), path)
  }

  /** Passes connections on by a program in the network of this machine. */
  async #pass(from: string, to: string): Promise<void> {
    const enter = [
      'nsenter',
      '--net',
      '--target',
      this.#leader() ?? '',
      process.execPath,
      '-e',
      PASS,
      from,
      to,
    ]
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...enter], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#passing.push(child)
    await once(child.stdout, 'data')
  }

  /** Stops all services, ends all processes, and starts again from the disk. */
  async reboot(): Promise<void> {
    const before = this.#leader()
    this.run(['systemctl', 'reboot'])
    while (this.#leader() === before) await pause(20)
    await this.#started()
  }

  /** The first process of the machine; undefined while there is none. */
  #leader(): string | undefined {
    return this.#descendant('sh', 'systemd-nspawn', 'systemd')
  }

  /** The process that one after the other of these names leads to. */
  #descendant(...names: readonly string[]): string | undefined {
    return names.reduce<string | undefined>(
      (pid, name) => pid && childrenOf(pid).find((child) => textOf(`/proc/${child}/comm`).trim() === name),
      String(this.#child.pid),
    )
  }

  async #started(): Promise<void> {
    const end = performance.now() + BOOT_MS
    for (; performance.now() < end; await pause(20)) {
      if (this.#child.exitCode !== null) throw new Error(this.#said.trim())
      if (this.#leader() === undefined) continue
      const { out } = this.run(['systemctl', 'is-system-running', '--wait'])
      // A service of this machine that fails there is no concern of ours.
      if (/^(?:running|degraded)/.test(out)) return
    }
    throw new Error(`it did not start in ${BOOT_MS / 1000} s: ${this.#said.trim()}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#passing) each.kill('SIGKILL')
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'close')
      this.#child.kill('SIGKILL')
      await ended
    }
    spawnSync('find', [GROUPS, '-depth', '-path', `*/${basename(this.#folder)}*`, '-type', 'd', '-delete'])
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
