import type { StartPart } from '../part.ts'
import { answerJson, bareHttp } from './bare-http.ts'

const TEXTS = ['fingerprint', 'hostname', 'version', 'state'] as const
const NUMBERS = ['cpu_pct', 'mem_pct', 'disk_pct', 'disk_total_gb'] as const

const isBeat = (body: Record<string, unknown>): boolean =>
  TEXTS.every((name) => typeof body[name] === 'string') &&
  NUMBERS.every((name) => body[name] === undefined || Number.isFinite(body[name]))

/** The least that takes a heartbeat: read, parse, check by hand, answer. */
export const start: StartPart<null> = () =>
  bareHttp((body, response) => {
    if (isBeat(body)) answerJson(response, 200, { ack: true, next_interval: 60 })
    else answerJson(response, 400, { error: 'invalid' })
  })
