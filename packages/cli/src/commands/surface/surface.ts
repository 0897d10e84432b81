import { setTimeout as pause } from 'node:timers/promises'
import type { SurfaceFindingView } from '@svc/core'
import type { SurfaceScanView, SurfaceTargetView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { EXIT } from '../../terminal/failure.ts'
import { plain } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'
import { findingsTable, recordLine, scanText, targetFacts, targetsTable } from './surface-view.ts'

/** The flag of commands about one domain. */
export interface OwnerOptions {
  readonly license?: string
}

interface TargetAnswer {
  readonly target: SurfaceTargetView
}

interface ShownAnswer extends TargetAnswer {
  readonly scan?: SurfaceScanView
}

const LOOK_MS = 1000

/** Adds a domain and prints the record to publish. */
export const addTarget: Handler<OwnerOptions> = async (run) => {
  const input = given({ domain: run.arg(0), license: run.options.license })
  const answer = await run.operate<TargetAnswer>('surface.add', input)
  run.print(answer, (page) => targetFacts(answer.target, page))
  if (!answer.target.verified)
    run.hint(
      `Publish this record, then svc surface verify ${answer.target.domain}:`,
      recordLine(answer.target),
    )
}

/** Looks the proof of a domain up; exit code 1 when it is not there. */
export const verifyTarget: Handler<OwnerOptions> = async (run) => {
  const input = given({ domain: run.arg(0), license: run.options.license })
  const answer = await run.operate<TargetAnswer>('surface.verify', input)
  run.print(answer, (page) => targetFacts(answer.target, page))
  return answer.target.verified ? EXIT.done : EXIT.failed
}

/** Lists domains. */
export const listTargets: Handler<OwnerOptions & { readonly limit?: string }> = async (run) => {
  const { license, limit } = run.options
  const input = given({ license, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ targets: readonly SurfaceTargetView[] }>('surface.list', input)
  run.print(answer, (page) => targetsTable(answer.targets, page))
  if (answer.targets.length === 0) run.hint('No domains: svc surface add DOMAIN --license LICENSE adds one.')
}

/** Shows a domain with its newest scan, or a scan. */
export const showTarget: Handler<OwnerOptions> = async (run) => {
  const input = given({ domain: run.arg(0), license: run.options.license })
  const answer = await run.operate<ShownAnswer>('surface.show', input)
  const { target, scan } = answer
  run.print(answer, (page) =>
    scan === undefined ? targetFacts(target, page) : `${targetFacts(target, page)}\n${scanText(scan, page)}`,
  )
}

/** Flags of `svc surface scan`. */
export interface ScanOptions extends OwnerOptions {
  readonly check?: readonly string[]
  readonly host?: readonly string[]
  readonly ports?: string
  readonly watch?: boolean
}

/** Starts a scan, and waits for its end when asked to. */
export const scanTarget: Handler<ScanOptions> = async (run) => {
  const { license, check, host, ports, watch } = run.options
  const input = given({
    domain: run.arg(0),
    license,
    checks: check,
    hosts: host,
    ports: ports === undefined || /^[a-z]/.test(ports) ? ports : portNumbers(ports),
  })
  await using connection = await run.connect()
  const started = (await connection.run('surface.scan', input)) as {
    readonly scan: { readonly id: string; readonly state: string }
  }
  if (watch !== true) {
    run.print(started, () => `${plain(started.scan.id)} is queued\n`)
    return EXIT.done
  }
  let noted = ''
  for (;;) {
    const shown = (await connection.run('surface.show', {
      domain: started.scan.id,
    })) as unknown as ShownAnswer
    const { scan } = shown
    if (scan === undefined || (scan.state !== 'queued' && scan.state !== 'running')) {
      run.print({ ...shown }, (page) => (scan === undefined ? '' : scanText(scan, page)))
      return scan?.state === 'done' ? EXIT.done : EXIT.failed
    }
    const note = `${scan.state} ${Math.round(scan.progress * 100)} %`
    if (note !== noted) run.note(note)
    noted = note
    await pause(LOOK_MS)
  }
}

const portNumbers = (text: string): readonly (number | undefined)[] =>
  text.split(',').map((each) => wholeNumber('--ports', each.trim()))

/** Ends a scan. */
export const abortScan: Handler<object> = async (run) => {
  const answer = await run.operate<{ scan: { id: string; state: string } }>('surface.abort', {
    scan: run.arg(0),
  })
  run.print(answer, () => `${plain(answer.scan.id)} is ${plain(answer.scan.state)}\n`)
}

/** Flags of `svc surface findings`. */
export interface FindingsOptions extends OwnerOptions {
  readonly open?: boolean
  readonly limit?: string
}

/** Lists findings. */
export const listFindings: Handler<FindingsOptions> = async (run) => {
  const { license, open, limit } = run.options
  const input = given({
    domain: run.args[0],
    license,
    status: open === true ? 'open' : undefined,
    limit: wholeNumber('--limit', limit),
  })
  const answer = await run.operate<{ findings: readonly SurfaceFindingView[] }>('surface.findings', input)
  run.print(answer, (page) => findingsTable(answer.findings, page))
  if (answer.findings.length === 0) run.hint('No findings.')
}

/** Removes a domain with its findings. */
export const removeTarget: Handler<OwnerOptions> = async (run) => {
  const input = given({ domain: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ removed: string }>('surface.remove', input)
  run.print(answer, () => `${plain(answer.removed)} is removed\n`)
}
