import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, Problem } from '@svc/core'
import { proofBytes } from '@svc/core/adapters'
import { writeDurably } from '../state/durable-file.ts'

const FILE = 'access-key.pem'

/** The key that this host asks for its sessions with. Its private half never leaves the state folder. */
export class AgentKey {
  readonly #key: KeyObject
  readonly #clock: Clock
  #lastMs = 0

  private constructor(key: KeyObject, clock: Clock) {
    this.#key = key
    this.#clock = clock
  }

  /**
   * Opens the key of a state folder, and makes one when there is none.
   * @throws Problem `conflict` when the file is no key: a second one would not be accepted
   */
  static async open(stateDir: string, clock: Clock): Promise<AgentKey> {
    const path = join(stateDir, FILE)
    const pem = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (pem !== undefined) return new AgentKey(keyIn(path, pem), clock)
    const { privateKey } = generateKeyPairSync('ed25519')
    await writeDurably(path, String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
    return new AgentKey(privateKey, clock)
  }

  /** Returns the headers that prove the key for a request, each time for a later instant than before. */
  headers(fingerprint: string, request?: string): Record<string, string> {
    // A clock that was set back must not make this look like a repeat of an earlier request.
    this.#lastMs = Math.max(this.#lastMs + 1, this.#clock.now().getTime())
    const { x = '' } = createPublicKey(this.#key).export({ format: 'jwk' })
    const signature = sign(null, proofBytes(fingerprint, this.#lastMs, request), this.#key)
    return {
      'x-agent-key': Buffer.from(x, 'base64url').toString('base64'),
      'x-agent-proof': `t=${this.#lastMs};sig=${signature.toString('base64')}`,
    }
  }
}

function keyIn(path: string, pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // It is told below.
  }
  throw new Problem('conflict', {
    detail: `${path} is no key: restore it, or remove it and run svc fleet reset-key for this host`,
  })
}
