import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BootedMachine } from './booted-machine.ts'

const WEB_SOCKETS = join(import.meta.dirname, '../../node_modules/ws')
const PROGRAM = '/srv/visitors.mjs'
const CHOICES = '/srv/visitors.json'
const UNTIL = '/srv/enough'
const PROGRESS = '/srv/answered'
const SEEN = '/srv/seen'
const ERRORS = '/srv/visitors.err'
const READS_PER_SECOND = 50
/** The report of visitors who read, when nothing has failed. */
export const NOTHING_FAILED = { faults: [], repeated: 0 }

/** A kind of requests, which come in turn. */
export interface RequestKind {
  readonly name: string
  readonly path?: string
  readonly port?: number
  /** Whether connections are kept for further requests. */
  readonly isKept?: boolean
  /** Whether the first words of answers are counted, and an empty one is a failure. */
  readonly isRead?: boolean
  /** The name of the site that the proxy is asked for. */
  readonly host?: string
}

/** Choices of visitors: they ask at a rate, or at half of the one that they measure first. */
export type VisitorChoices = {
  readonly port: number
  readonly kinds: readonly RequestKind[]
  /** The port that uploads of ten seconds go to. */
  readonly uploadPort?: number
  /** The number of event streams, and of WebSockets. */
  readonly lasting?: number
} & ({ readonly perSecond: number } | { readonly measureMs: number; readonly mostPerSecond: number })

/** The report of visitors. */
export interface Seen {
  /** Requests a second: as many as could be, and those that were answered then. */
  readonly served: number
  readonly perSecond: number
  readonly slowestMs: number
  readonly asked: Readonly<Record<string, number>>
  readonly answered: Readonly<Record<string, number>>
  readonly failed: Readonly<Record<string, number>>
  /** The first failures in words. */
  readonly faults: readonly string[]
  /** Requests on a kept connection to the proxy that had ended while it was idle. */
  readonly repeated: number
  readonly uploads: number
  /** First words of answers that were read. */
  readonly words: Readonly<Record<string, number>>
  /** Streams and sockets that their application ended, and the time after its last new visitor. */
  readonly lives: readonly { readonly kind: string; readonly how: string; readonly afterMs: number }[]
}

/** Visitors of the applications of a machine, who come while other work is done there. */
export class Visitors {
  readonly #machine: BootedMachine
  #times = 0

  /** Puts the program of the visitors on the machine. */
  constructor(machine: BootedMachine) {
    this.#machine = machine
    machine.sh('mkdir /srv/ws; tar -x -C /srv/ws', spawnSync('tar', ['-c', '-C', WEB_SOCKETS, '.']).stdout)
    machine.write(PROGRAM, readFileSync(join(import.meta.dirname, 'visitors.mjs'), 'utf8'))
  }

  /** Requests that were answered so far, and those that failed. */
  get counts(): readonly [answered: number, failed: number] {
    const [answered, failed] = this.#machine.sh(`cat ${PROGRESS}`).split(' ').map(Number)
    return [answered ?? 0, failed ?? 0]
  }

  /** Has visitors come while work is done, which is synchronous: so they are a unit of the machine. */
  during(choices: VisitorChoices, work: () => void): Seen {
    const machine = this.#machine
    this.#times += 1
    // systemd takes a moment to forget a unit that has ended.
    const unit = `visitors-${this.#times}`
    machine.write(CHOICES, JSON.stringify({ ...choices, until: UNTIL, progress: PROGRESS }))
    machine.sh(`rm -f ${UNTIL} ${PROGRESS} ${SEEN} ${ERRORS}
      systemd-run --quiet --collect --unit=${unit} --property=StandardOutput=file:${SEEN} \\
        --property=StandardError=file:${ERRORS} node ${PROGRAM} ${CHOICES}
      until test -s ${PROGRESS}; do systemctl -q is-active ${unit}; sleep 0.1; done`)
    try {
      work()
    } finally {
      machine.sh(`touch ${UNTIL}; while systemctl -q is-active ${unit}; do sleep 0.1; done; cat ${ERRORS}`)
    }
    return JSON.parse(machine.sh(`cat ${SEEN}`)) as Seen
  }

  /** Has visitors read pages while work is done: their failures, and the first words of answers. */
  reading(
    port: number,
    paths: readonly string[],
    work: () => void,
    proxied: Pick<RequestKind, 'host' | 'isKept'> = {},
  ): Pick<Seen, 'faults' | 'repeated'> & { readonly got: Seen['words'] } {
    const kinds = paths.map((path) => ({ name: path, path, isRead: true, ...proxied }))
    const { faults, repeated, words } = this.during({ port, kinds, perSecond: READS_PER_SECOND }, work)
    return { faults, repeated, got: words }
  }
}
