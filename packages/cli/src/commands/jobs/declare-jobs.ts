import type { Command } from 'commander'
import { examples, operating, type Run } from '../declare.ts'
import { kindsText } from './kind-examples.ts'

/** `svc jobs …` */
export function declareJobs(program: Command, run: Run): void {
  const jobs = program.command('jobs')
  declareEnqueue(jobs, run)
  declareList(jobs, run)
  const logs = operating(jobs, 'jobs.logs', '<id>')
    .option('-f, --follow', 'print lines as they arrive, until the job ends; Ctrl-C leaves the job alone')
    .option('--tail <number>', 'only so many lines, the last ones')
    .option('--times', 'the time of each line before it, UTC')
    .option('--raw', 'as the host sent it, with sequences that command a terminal; for a file')
    .action(run(async () => (await import('./jobs-logs.ts')).jobLogs))
  examples(logs, 'svc jobs logs job_01… --follow', 'svc jobs logs job_01… --tail 50 --times')
  const cancel = operating(jobs, 'jobs.cancel', '<id>')
    .option('--wait', 'wait until the host has confirmed the end')
    .option('--reason <text>', 'why, for the log of the host')
    .action(run(async () => (await import('./jobs-cancel.ts')).cancelJob))
  examples(cancel, 'svc jobs cancel job_01… --wait')
  const one = [
    ['show', async () => (await import('./jobs-show.ts')).showJob],
    ['why', async () => (await import('./jobs-why.ts')).whyJob],
    ['retry', async () => (await import('./jobs-retry.ts')).retryJob],
  ] as const
  for (const [verb, load] of one) {
    examples(operating(jobs, `jobs.${verb}`, '<id>').action(run(load)), `svc jobs ${verb} job_01…`)
  }
}

function declareEnqueue(jobs: Command, run: Run): void {
  const enqueue = operating(jobs, 'jobs.enqueue', '<kind>')
    .requiredOption(
      '--license <id-or-key>',
      'whose hosts may do it: the id of a license or its end, its label, or its key',
    )
    .option('--host <host>', 'only this host: its id, hostname, label, or fp: and its fingerprint')
    .option('--payload <json>', 'the payload of the job, as JSON, or @FILE', '{}')
    .option('--app <app>', 'the application: fills app in the payload')
    .option('--urgent', 'ahead of everything that waits')
    .option('--dedupe-key <key>', 'while a job with this key is unfinished, get that one instead')
    .option('--run-at <iso>', 'not before this time, ISO-8601')
    .option('--timeout <seconds>', 'ask it to stop after so long, 3600 when not given')
    .option('-f, --follow', 'print its log until it ends; exit code 0 when it succeeded, else 1')
    .addHelpText('after', kindsText())
    .action(run(async () => (await import('./jobs-enqueue.ts')).enqueueJob))
  examples(
    enqueue,
    'svc jobs enqueue prune --license lic_01…',
    'svc jobs enqueue deploy --license lic_01… --app shop --payload @deploy.json --follow',
  )
}

function declareList(jobs: Command, run: Run): void {
  const list = operating(jobs, 'jobs.list')
    .option('--state <state>', 'pending, claimed, running, succeeded or failed')
    .option('--kind <kind>', 'jobs of one kind, such as deploy')
    .option('--host <host>', 'jobs that are for this host or were done by it')
    .option('--license <id-or-key>', 'jobs of one license')
    .option('--tenant <tenant>', 'jobs of the licenses of one tenant, by name or id')
    .option('--app <app>', 'jobs of one application')
    .option('--since <iso>', 'only jobs that were enqueued then or later, ISO-8601')
    .option('--limit <number>', 'how many at most, 100 when not given')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer')
    .action(run(async () => (await import('./jobs-list.ts')).listJobs))
  examples(list, 'svc jobs list --state failed --since 2026-11-01')
}
