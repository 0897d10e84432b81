/** The deeds of steps of a move; all but `switch` are jobs. */
export const MOVE_STEPS = [
  'stop',
  'backup',
  'deploy',
  'restore',
  'expose',
  'switch',
  'unexpose',
  'remove',
] as const

/** One step of a move. Each may be done again without harm. */
export interface MoveStep {
  readonly do: (typeof MOVE_STEPS)[number]
  /** Full fingerprint of the host that it is for. */
  readonly host: string
  readonly domain?: string
  /** Its newest job. */
  readonly jobId?: string
}

/** The move of an app from one host to another, the way back, or the removal of what stayed behind. */
export interface AppMove {
  readonly kind: 'move' | 'undo' | 'finish'
  /** Full fingerprints; of a way back, `to` is the host from before the move. */
  readonly from: string
  readonly to: string
  /** Whether volumes come along, by a backup. */
  readonly withData: boolean
  readonly steps: readonly MoveStep[]
  /** The number of steps that are done. */
  readonly at: number
}

type Ends = Pick<AppMove, 'from' | 'to' | 'withData'>

/** Whether steps of a move are left, so that other orders for the app have to wait. */
export const isUnderWay = (move: AppMove | undefined): boolean =>
  move !== undefined && move.at < move.steps.length

/**
 * Plans a move. Without data the app runs on both hosts until the old one stops; with data it stops first, so
 * that its backup is the last word.
 */
export function movedTo({ from, to, withData }: Ends, domains: readonly string[]): AppMove {
  const begin: MoveStep[] = withData
    ? [
        { do: 'stop', host: from },
        { do: 'backup', host: from },
        { do: 'deploy', host: to },
        { do: 'restore', host: to },
      ]
    : [{ do: 'deploy', host: to }]
  const exposed = domains.map((domain): MoveStep => ({ do: 'expose', host: to, domain }))
  const end: MoveStep[] = [
    { do: 'switch', host: to },
    ...(withData ? [] : [{ do: 'stop', host: from } as const]),
  ]
  return { kind: 'move', from, to, withData, steps: [...begin, ...exposed, ...end], at: 0 }
}

/** Plans the way back from where a move is. The host that it led to keeps its files, stopped. */
export function movedBack({ from, to, steps, at }: AppMove): AppMove {
  const begun = steps.filter((step, index) => index < at || step.jobId !== undefined)
  const has = (wanted: MoveStep['do']) => begun.some((step) => step.do === wanted)
  const domains = begun.flatMap((step) => (step.do === 'expose' && step.domain ? [step.domain] : []))
  const each = (what: 'expose' | 'unexpose', host: string) =>
    domains.map((domain): MoveStep => ({ do: what, host, domain }))
  const back: MoveStep[] = [
    { do: 'deploy', host: from },
    ...each('expose', from),
    ...(has('switch') ? [{ do: 'switch', host: from } as const] : []),
    ...each('unexpose', to),
    ...(has('deploy') ? [{ do: 'stop', host: to } as const] : []),
  ]
  return { kind: 'undo', from: to, to: from, withData: false, steps: back, at: 0 }
}

/** Plans the removal of an app from the host that it has left; volumes stay there. */
export function leftBehind({ from, to }: AppMove, domains: readonly string[]): AppMove {
  const gone = domains.map((domain): MoveStep => ({ do: 'unexpose', host: from, domain }))
  const steps: MoveStep[] = [...gone, { do: 'remove', host: from }]
  return { kind: 'finish', from, to, withData: false, steps, at: 0 }
}
