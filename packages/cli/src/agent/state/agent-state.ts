import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Log, Problem } from '@svc/core'
import { lockFolder } from '@svc/core/adapters'
import { writeDurably } from './durable-file.ts'

/**
 * Takes the state folder for this agent alone, and makes it when it is not there, mode 0700: two agents under
 * one fingerprint would each end the other's work as leftovers.
 * @throws Problem `conflict` naming the process that has it, `unavailable` if its disk can have no sockets
 */
export async function takeStateFolder(folder: string): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = await lockFolder(folder, 'stop that agent, or give this one a state folder of its own')
  // Until the lock is held, the mode is another agent's: its handlers may pass through the folder.
  await chmod(folder, 0o700)
  return lock
}

/** The newest refresh that was accepted: the next one must be newer. */
export interface LastRefresh {
  /** Unix seconds. */
  readonly iat: number
  readonly seq: number
}

/** How the last backup of the host went, in the words of the heartbeat. */
export interface BackupHealth {
  /** Unix seconds of the last capture that worked; absent if none did. */
  readonly last_capture_at?: number
  readonly success: boolean
}

/** How the last drill of a restore went, in the words of the heartbeat. */
export interface RestoreDrill {
  /** Unix seconds. */
  readonly last_at: number
  readonly pass: boolean
}

/** The images that the plane knows of: a repository's, up to an instant in milliseconds. */
export interface KnownImages {
  readonly repo: string
  readonly until: number
}

interface Memory {
  readonly fingerprint: string
  /** `Idempotency-Key` of the next claim. */
  readonly intent: string
  readonly token?: string
  readonly refresh?: LastRefresh
  readonly backupHealth?: BackupHealth
  readonly restoreDrill?: RestoreDrill
  readonly images?: KnownImages
}

/** Longest fingerprint that the wire takes (spec, Heartbeat request). */
const MAX_FINGERPRINT_CHARS = 512

/**
 * The memory of an agent over restarts, in `agent.json` of its state folder (folder 0700, file 0600, replaced
 * as a whole). It does not contain the license key.
 */
export class AgentState {
  readonly #path: string
  readonly #log: Log
  #memory: Memory
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, log: Log, memory: Memory) {
    this.#path = path
    this.#log = log
    this.#memory = memory
  }

  /**
   * Opens the memory of a folder, or begins one if there is none. A given `fingerprint` that differs from the
   * kept one begins a new memory. Throws `Problem('conflict')` when the file is unreadable, because minting a
   * second identity would make a second host.
   */
  static async open(folder: string, log: Log, fingerprint?: string): Promise<AgentState> {
    const path = join(folder, 'agent.json')
    const kept = await readMemory(path)
    const same = kept && (fingerprint === undefined || kept.fingerprint === fingerprint)
    const memory = same ? kept : { fingerprint: fingerprint ?? mintFingerprint(), intent: randomUUID() }
    if (memory.fingerprint === '' || memory.fingerprint.length > MAX_FINGERPRINT_CHARS) {
      throw new Problem('invalid-input', { detail: 'a fingerprint has 1 to 512 characters' })
    }
    const state = new AgentState(path, log, memory)
    if (!same) await writeDurably(path, JSON.stringify(memory))
    return state
  }

  /** The host's identity under its license. */
  get fingerprint(): string {
    return this.#memory.fingerprint
  }

  /** The last activation token that was verified. */
  get token(): string | undefined {
    return this.#memory.token
  }

  /** The newest refresh that was accepted. */
  get refresh(): LastRefresh | undefined {
    return this.#memory.refresh
  }

  /** How the last backup went; undefined if there was none. */
  get backupHealth(): BackupHealth | undefined {
    return this.#memory.backupHealth
  }

  /** How the last drill went; undefined if there was none. */
  get restoreDrill(): RestoreDrill | undefined {
    return this.#memory.restoreDrill
  }

  /** The images that the plane knows of. */
  get images(): KnownImages | undefined {
    return this.#memory.images
  }

  /**
   * The idempotency key of the claim under way. It stays the same until a job is received, over empty
   * answers, lost answers and a crash: a job that was handed out under this key is handed out under it again
   * instead of waiting for its lease to expire.
   */
  get intent(): string {
    return this.#memory.intent
  }

  /** Ends the claim under way: the next claim gets a new key. */
  renewIntent(): Promise<void> {
    return this.#keep({ intent: randomUUID() })
  }

  /** Keeps a verified activation token. */
  keepToken(token: string): Promise<void> {
    return this.#keep({ token })
  }

  /** Keeps an accepted refresh. */
  keepRefresh(refresh: LastRefresh): Promise<void> {
    return this.#keep({ refresh })
  }

  /** Keeps how a backup went. */
  keepBackupHealth(backupHealth: BackupHealth): Promise<void> {
    return this.#keep({ backupHealth })
  }

  /** Keeps how a drill went. */
  keepRestoreDrill(restoreDrill: RestoreDrill): Promise<void> {
    return this.#keep({ restoreDrill })
  }

  /** Keeps which images the plane knows of. */
  keepImages(images: KnownImages): Promise<void> {
    return this.#keep({ images })
  }

  /** A full disk loses this change at most; the agent continues to work. */
  #keep(change: Partial<Memory>): Promise<void> {
    this.#memory = { ...this.#memory, ...change }
    this.#writing = this.#writing
      .then(() => writeDurably(this.#path, JSON.stringify(this.#memory)))
      .catch((error: NodeJS.ErrnoException) => {
        this.#log.error({ code: error.code }, 'the agent cannot write its state folder')
      })
    return this.#writing
  }
}

// The fingerprint is random instead of the machine's id, because clones of one disk image share that id.
const mintFingerprint = (): string => randomBytes(20).toString('hex')

async function readMemory(path: string): Promise<Memory | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const memory = parse(text)
  if (memory) return { ...memory, intent: memory.intent ?? randomUUID() }
  throw new Problem('conflict', {
    detail: `${path} is not readable as the memory of an agent: restore it, or move it away to register a new host`,
  })
}

function parse(text: string): Memory | undefined {
  try {
    const memory = JSON.parse(text) as Partial<Memory> | null
    return typeof memory?.fingerprint === 'string' ? (memory as Memory) : undefined
  } catch {
    return undefined
  }
}
