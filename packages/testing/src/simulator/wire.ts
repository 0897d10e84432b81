/** A request of an agent. */
export interface WireRequest {
  /** The path as written in the wire contract, for example `/v1/jobs/claim`. */
  readonly path: string
  /** The license key of the `Authorization` header; `''` sends none. */
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  readonly idempotencyKey?: string | undefined
  /** The client's address; activations are counted by it. */
  readonly address: string
}

/** The answer of the service. */
export interface WireAnswer {
  readonly status: number
  /** The headers, named as in the wire contract. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** The agent API of one replica, which never rejects. */
export type Endpoint = (request: WireRequest) => Promise<WireAnswer>

const JOB_PATH = /^(?:\/api)?\/v1\/jobs\/([^/]+)\/(status|logs|cancel)$/

/** Returns the job and the verb that a path names; undefined if it names no job. */
export function jobPath(path: string): { readonly id: string; readonly verb: string } | undefined {
  const match = JOB_PATH.exec(path)
  const [, id, verb] = match ?? []
  return id === undefined || verb === undefined ? undefined : { id, verb }
}
