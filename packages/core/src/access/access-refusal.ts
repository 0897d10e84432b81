import { Problem } from '../problem.ts'

/** Why a host gets no session: it does not report, or it, or all hosts together, have as many as they may. */
export type AccessRefusalKind = 'offline' | 'too-many'

const SENTENCES: Readonly<Record<AccessRefusalKind, (host: string) => string>> = {
  offline: (host) => `host ${host} is offline: svc fleet show ${host} says since when`,
  'too-many': (host) =>
    `host ${host}, or all hosts together, have as many sessions as they may: svc ssh sessions --active shows them`,
}

/** A session that cannot be opened now. */
export class AccessRefusal extends Problem {
  readonly kind: AccessRefusalKind
  /** Unix seconds; 0 if the host never reported. */
  readonly lastHeartbeat: number

  constructor(kind: AccessRefusalKind, host: string, lastHeartbeat = 0) {
    super('conflict', { detail: SENTENCES[kind](host) })
    this.kind = kind
    this.lastHeartbeat = lastHeartbeat
  }
}
