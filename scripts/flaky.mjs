// Suites that fail and pass when they run again, alone. A run of all suites is not lost to them, and none of
// them is forgotten: test/flaky.md lists them, and lint fails for one that stands there too long.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './project.mjs'

/** More suites than these fail for a reason. */
const FLAKY_MOST = 3
/** Commits that a suite may stand in the list for. */
const COMMITS_MOST = 10

/**
 * Runs the failed suites of a run once more, each alone, unless they are many. Returns those that passed
 * then, and the counts with their tests among the passed.
 */
export async function onceMore({ counts, failing }, run, say = console.log) {
  const flaky = []
  const mended = { ...counts }
  if (failing.length > FLAKY_MOST) return { flaky, counts: mended }
  for (const { file, failed } of failing) {
    say(`\n${file} failed: once more, alone.`)
    const again = await run([file])
    if (again.code !== 0 || again.counts.passed === 0) continue
    flaky.push(file)
    mended.failed -= failed
    mended.passed += failed
  }
  return { flaky, counts: mended }
}

const ROW = /^\| `(?<suite>[^`|]{1,200})` \| (?<sample>\d{1,4}) \| (?<commit>[0-9a-f]{8,40}) \|/

/** Returns the faults of the list. `age` returns how many commits ago a commit was; undefined: unknown. */
export function faultsOfList(text, age) {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((line) => {
    const { suite, commit } = ROW.exec(line)?.groups ?? {}
    if (suite === undefined) return [`not a row: ${line}`]
    const commits = age(commit)
    if (commits === undefined) return [`${suite}: there is no commit ${commit}`]
    return commits > COMMITS_MOST ? [`${suite}: seen ${commits} commits ago, and still not mended`] : []
  })
}

function ageOf(commit) {
  const { status, stdout } = spawnSync('git', ['rev-list', '--count', `${commit}..HEAD`], {
    cwd: root,
    encoding: 'utf8',
  })
  return status === 0 ? Number(stdout) : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = faultsOfList(readFileSync(join(root, 'test/flaky.md'), 'utf8'), ageOf)
  for (const fault of faults) console.log(`test/flaky.md: ${fault}`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
