import { Problem } from '../../kernel/problem.ts'

/** Why a host gets no session: it does not report, or it, or all hosts together, have as many as they may. */
export type AccessRefusalKind = 'offline' | 'too-many'

/** A session that cannot be opened now. */
export class AccessRefusal extends Problem {
  readonly kind: AccessRefusalKind
  /** Unix seconds; 0 if the host never reported. */
  readonly lastHeartbeat: number

  constructor(kind: AccessRefusalKind, detail: string, lastHeartbeat = 0) {
    super('conflict', { detail })
    this.kind = kind
    this.lastHeartbeat = lastHeartbeat
  }
}
