/** A request of an agent. */
export interface WireRequest {
  /** As written in the wire contract, for example `/v1/jobs/claim`. */
  readonly path: string
  /** The license key of the `Authorization` header; `''` sends none. */
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  readonly idempotencyKey?: string | undefined
  /** The client's address, under which activations are counted. */
  readonly address: string
}

/** What the service answers. */
export interface WireAnswer {
  readonly status: number
  /** Names in the spelling of the wire contract. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** The agent API of one replica: never rejects. */
export type Endpoint = (request: WireRequest) => Promise<WireAnswer>

const JOB_PATH = /^(?:\/api)?\/v1\/jobs\/([^/]+)\/(status|logs|cancel)$/

/** The job that a path names, and what is done with it. */
export function jobPath(path: string): { readonly id: string; readonly verb: string } | undefined {
  const match = JOB_PATH.exec(path)
  const [, id, verb] = match ?? []
  return id === undefined || verb === undefined ? undefined : { id, verb }
}
