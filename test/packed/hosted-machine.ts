import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packedFolder } from '../support/packed.ts'
import { BootedMachine } from './booted-machine.ts'
import { dependenciesOfPlane, InstalledPlane, type IssuedLicense } from './installed-plane.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
/** The header that lets programs of the machine give orders to its plane. */
const TOKEN = '/srv/token'
const OPERATIONS = 'http://127.0.0.1:8080/api/v1/operations'
/** Turns of a wait for a job: a command of the machine has a limit of its own, which a job may outlast. */
const MAX_TURNS = 12
const TURN_SECONDS = 15
const AGENT = '/srv/svc-agent.mjs'

/** Settings of podman for a machine within a machine, and for no other: see containers.conf(5). */
export const CONTAINERS_CONF = `[containers]
keyring = false
[engine]
runtime = "runc"
`

/** A job that has ended. */
export interface EndedJob {
  readonly log: string
  readonly state: string
}

interface JobLogs {
  readonly logs: readonly { readonly line: string }[]
  readonly state: string
  readonly done: boolean
}

/** The condition of a shell that the log of a job has a line which begins so. */
export const hasSaid = (words: string): string => `grep -qsF '"line":"${words}' "$work/log.ndjson"`

/** A booted machine with a plane, and its agent that keeps applications running as units of systemd. */
export class HostedMachine implements AsyncDisposable {
  readonly machine: BootedMachine
  readonly plane: InstalledPlane
  readonly license: string
  readonly #key: string

  private constructor(machine: BootedMachine, plane: InstalledPlane, { license, key }: IssuedLicense) {
    this.machine = machine
    this.plane = plane
    this.license = license.id
    this.#key = key
  }

  /** Boots a machine that has these programs; a reason instead where none can be had. */
  static async boot(
    programs: readonly string[],
    nspawnEnv: Readonly<Record<string, string>> = {},
    hostname?: string,
  ): Promise<BootedMachine | string> {
    const readOnly = { '/usr/local/bin/node': process.execPath, ...dependenciesOfPlane(CHECKOUT) }
    const booted = await BootedMachine.boot(readOnly, nspawnEnv, hostname)
    if (typeof booted === 'string') return booted
    const lacking = programs.filter((program) => booted.run(['sh', '-c', `command -v ${program}`]).code !== 0)
    if (lacking.length === 0) return booted
    await booted[Symbol.asyncDispose]()
    return `this machine lacks ${lacking.join(', ')}`
  }

  /** Installs a plane with more settings, and its agent, on a booted machine. */
  static async install(machine: BootedMachine, settings: readonly string[] = []): Promise<HostedMachine> {
    const plane = new InstalledPlane(machine, await packedFolder())
    machine.sh(
      "git config --system --add safe.directory '*'; cat >> /etc/svc/env",
      settings.map((line) => `${line}\n`).join(''),
    )
    plane.start()
    const issued = plane.json<IssuedLicense>('licenses', 'issue')
    const { secret } = plane.json<{ secret: string }>(
      'tokens',
      'issue',
      '--role',
      'operator',
      '--label',
      'test',
    )
    machine.write(TOKEN, `Authorization: Bearer ${secret}\n`, 0o600)
    const host = new HostedMachine(machine, plane, issued)
    await host.join(machine)
    return host
  }

  /** Installs an agent of this plane on a machine that reaches it. */
  async join(machine: BootedMachine): Promise<void> {
    machine.write(AGENT, readFileSync(join(await packedFolder(), 'svc-agent.mjs'), 'utf8'))
    const install = ['node', AGENT, 'install', '--url', 'http://127.0.0.1:8080', '--apps']
    const { code, err } = machine.run(install, `${this.#key}\n`)
    if (code !== 0) throw new Error(err)
  }

  /** Commits files to the repository of an application, and returns the id. */
  commit(app: string, files: Readonly<Record<string, string>>): string {
    const folder = `/srv/${app}`
    for (const [name, text] of Object.entries(files)) this.machine.write(join(folder, name), text)
    const git = `git -C ${folder} -c user.name=a -c user.email=a@example.com`
    return this.machine.sh(`test -d ${folder}/.git || git init --quiet --initial-branch=main ${folder}
      ${git} add --all && ${git} commit --quiet --allow-empty -m change; ${git} rev-parse HEAD`)
  }

  /** Runs an operation of the plane as a program does, by its API. */
  operation<D>(name: string, input: object): D {
    const curl = `curl -sS --fail-with-body -H @${TOKEN} --data-binary @- ${OPERATIONS}/${name}`
    return JSON.parse(this.machine.sh(curl, JSON.stringify(input))) as D
  }

  /** Makes a job, and returns its id. */
  enqueued(kind: string, payload: object): string {
    const input = { kind, license: this.license, payload }
    return this.operation<{ job: { id: string } }>('jobs.enqueue', input).job.id
  }

  /** Runs a job to its end. */
  job(kind: string, payload: object): EndedJob {
    return this.followed(this.enqueued(kind, payload))
  }

  /** Waits for the end of a job. */
  followed(id: string): EndedJob {
    const look = `curl -sS -H @${TOKEN} -d '{"job":"${id}"}' ${OPERATIONS}/jobs.show`
    const wait = `end=$(($(date +%s) + ${TURN_SECONDS})); while [ $(date +%s) -lt $end ]; do
      case $(${look}) in *'"state":"succeeded"'* | *'"state":"failed"'*) exit 0 ;; esac; sleep 0.1; done`
    for (let turn = 1; ; turn += 1) {
      this.machine.sh(wait)
      const input = { job: id, limit: 10_000 }
      const { logs, state, done } = this.operation<JobLogs>('jobs.logs', input)
      if (done || turn === MAX_TURNS) return { log: logs.map(({ line }) => `${line}\n`).join(''), state }
    }
  }

  /** Gives an order, kills the supervisor when a condition of the shell holds, and waits until it is back. */
  killed(condition: string, order: () => EndedJob): EndedJob {
    const kill = 'systemctl kill --kill-who=main --signal=KILL svc-appsd'
    this.machine.write('/srv/kill', `until ${condition}; do :; done; ${kill}; touch /srv/killed\n`)
    this.machine.sh('rm -f /srv/killed; systemd-run --quiet sh /srv/kill')
    const ended = order()
    this.machine.sh('test -e /srv/killed; until test -S /run/svc-appsd/control.sock; do sleep 0.1; done')
    return ended
  }

  /**
   * Kills a program when a condition of the shell holds, which knows the folder of a job as `$work`, or when
   * that folder has gone. Returns how the job ended, once the program is back.
   */
  killedIn(id: string, condition: string, unit: 'svc-agent' | 'svc-appsd'): EndedJob {
    const pid = this.machine.sh(`systemctl show --value -p MainPID ${unit}`)
    this.machine.sh(`work=/var/lib/svc-agent/work/${id}.1 seen=
    for look in $(seq 1000); do
      if [ -d "$work" ]; then seen=1; elif [ -n "$seen" ]; then break; fi
      if { ${condition}; }; then break; fi
      sleep 0.01
    done
    kill -9 ${pid}`)
    const ended = this.followed(id)
    const isBack = `systemctl -q is-active ${unit} && test -S /run/svc-appsd/control.sock`
    this.machine.sh(`until ${isBack}; do sleep 0.1; done`)
    return ended
  }

  /** Has the agent start again at once after it was killed. */
  hurryAgent(): void {
    this.machine.write('/etc/systemd/system/svc-agent.service.d/soon.conf', '[Service]\nRestartSec=200ms\n')
    this.machine.sh('systemctl daemon-reload')
  }

  /** Deploys a commit of an application. */
  deploy(app: string, sha: string, more: object = {}): EndedJob {
    return this.job('deploy', { app, source: { type: 'git', repo_url: `file:///srv/${app}`, sha }, ...more })
  }

  /** Asks an application. */
  ask(app: string, path = '/'): string {
    const { port } = this.record().apps[app]
    return this.machine.sh(`curl -sS -m 5 'http://127.0.0.1:${port}${path}'`)
  }

  /** The record of the host's applications. */
  record() {
    return JSON.parse(this.machine.sh('cat /var/lib/svc-appsd/apps.json'))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.machine[Symbol.asyncDispose]()
  }
}

/** Returns the log of a job that ended so. @throws Error with its log when it ended otherwise */
export function endedWell({ log, state }: EndedJob): string {
  if (state !== 'succeeded') throw new Error(`the job ${state}:\n${log}`)
  return log
}

/** Returns the log of a job that failed. @throws Error with its log when it did not */
export function failedJob({ log, state }: EndedJob): string {
  if (state !== 'failed') throw new Error(`the job ${state}:\n${log}`)
  return log
}
