import type { PinnedAnswer } from '../../platform/net/pinned-host.ts'
import { evidenceOf, type Finding } from '../../watch/surface/surface-finding.ts'
import { FILE_PROBES, type FileProbe } from './file-probes.ts'
import type { HostWeb, WebOrigin } from './host-web.ts'
import { isAlike, type PageShape, shapeOf, typeOf } from './page-shape.ts'

/** Result of a look at the files of a host. */
export interface FilesSeen {
  readonly findings: readonly Finding[]
  /** Whether every path was answered. */
  readonly isComplete: boolean
}

const FIRST_BYTES = { range: 'bytes=0-15' }
const PARALLEL = 4
/** How much of a file is looked at: its distinctive part stands at its beginning. */
const LOOKED_BYTES = 4096

/**
 * Asks a web server for paths that should not be public. Two paths that nobody can have first show its answer
 * to missing files: of a server that answers everything only distinct answers count.
 */
export async function exposedFiles(
  web: HostWeb,
  origin: WebOrigin,
  random: () => string,
): Promise<FilesSeen> {
  const baseline: PageShape[] = []
  for (const path of [`/${random()}`, `/.${random()}/${random()}.txt`]) {
    const answer = await web.get(origin, path)
    if (answer?.ok !== true) return { findings: [], isComplete: false }
    if (answer.status === 200) baseline.push(shapeOf(answer))
  }
  const findings: Finding[] = []
  let isComplete = true
  const left = [...FILE_PROBES]
  const worker = async () => {
    for (let probe = left.shift(); probe !== undefined; probe = left.shift()) {
      const answer = await web.get(origin, probe.path, probe.isBinary ? FIRST_BYTES : {})
      if (answer?.ok !== true) isComplete = false
      else if (isExposed(probe, answer, baseline)) findings.push(findingOf(probe, answer.body, web, origin))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  return { findings, isComplete }
}

/** Whether an answer is the file itself, and no page that the server shows for anything. */
export function isExposed(
  probe: FileProbe,
  answer: Extract<PinnedAnswer, { ok: true }>,
  baseline: readonly PageShape[],
): boolean {
  const { status, body } = answer
  if (status !== 200 && !(probe.isBinary && status === 206)) return false
  if (baseline.some((shape) => isAlike(shape, shapeOf(answer)))) return false
  if (baseline.length > 0 && !probe.isStrong) return false
  const text = body.toString('latin1', 0, LOOKED_BYTES)
  const isHtml = typeOf(answer) === 'text/html' || /^\s*<(?:!doctype|html|head|body)/i.test(text)
  // Some servers send every file as HTML, so that a page is told by its beginning then.
  const isPage = isHtml && /^\s*</.test(text) && !/^\s*<\?php/.test(text)
  if (probe.isPage ? !isPage : isPage) return false
  return probe.says.test(text)
}

function findingOf(probe: FileProbe, body: Buffer, web: HostWeb, origin: WebOrigin): Finding {
  const { id, path, severity, remediation, says } = probe
  const [match = ''] = says.exec(body.toString('latin1', 0, LOOKED_BYTES)) ?? []
  const { name } = web.host
  const evidence = probe.isBinary ? `bytes ${body.subarray(0, 8).toString('hex')}` : evidenceOf(match)
  const place = { host: name, place: name, url: web.url(origin, path) }
  return { id, check: 'files', severity, ...place, evidence, remediation }
}
