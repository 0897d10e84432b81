import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Log, Problem } from '@svc/core'
import { writeDurably } from './durable-file.ts'

/** The newest refresh that was accepted: a later one must rise above it. */
export interface LastRefresh {
  /** Unix seconds. */
  readonly iat: number
  readonly seq: number
}

interface Memory {
  readonly fingerprint: string
  /** `Idempotency-Key` of the next claim. */
  readonly intent: string
  readonly token?: string
  readonly refresh?: LastRefresh
}

/** Longest fingerprint that the wire takes (spec, Heartbeat request). */
const MAX_FINGERPRINT_CHARS = 512

/**
 * What an agent remembers over restarts, in `agent.json` of its state folder (folder 0700, file 0600,
 * replaced as a whole). The license key is not part of it.
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
   * Opens the memory of a folder that is there, or begins one. A given `fingerprint` that differs from the
   * kept one begins anew. Throws `Problem('conflict')` when the file is unreadable: minting a second identity
   * would make a second host.
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

  /**
   * The key of the claim under way. It stands until a job was received, over empty answers, lost ones and a
   * crash: a job that was handed out under it comes back under it instead of waiting for its lease to pass.
   */
  get intent(): string {
    return this.#memory.intent
  }

  /** Ends the claim under way: the next one is another intent. */
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

  /** A full disk costs the memory of this change, not the agent's work. */
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

// Random, not the machine's id: clones of one disk image share that.
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
