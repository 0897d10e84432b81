import type { BootedMachine } from '../../../test/packed/booted-machine.ts'
import { HostedMachine } from '../../../test/packed/hosted-machine.ts'
import { type DeployStep, deployVariant, milliseconds } from '../hosted-deploys.ts'
import type { Scenario } from '../scenario.ts'

const BARE = 'a script: fetch, unit, two good answers, rule of nft'
const BARE_BACK = 'the script without the fetch'
const DEPLOY = 'svc, from the accepted job to the answer of the new release'
const ROLLBACK = 'svc, from the accepted job to the answer of the release before'
const SECONDS = 20
/** Commits that rollbacks go to and fro between. */
const PAIR = 2

/** Deploys a commit by hand, with the rule of health that svc has, and prints milliseconds. */
const SCRIPT = `set -euo pipefail
sha=$1 number=$2 fetch=$3
folder=/srv/releases/$sha
began=\${EPOCHREALTIME/./}
if [ "$fetch" = yes ]; then
  rm -rf "$folder"; mkdir -p "$folder"
  git -C "$folder" init --quiet
  git -C "$folder" fetch --quiet --depth 1 file:///srv/shop "$sha"
  git -C "$folder" checkout --quiet FETCH_HEAD
fi
port=$((21000 + number))
printf '[Service]\\nWorkingDirectory=%s\\nEnvironment=PORT=%s\\nExecStart=/usr/local/bin/node server.js\\nUser=nobody\\n' \\
  "$folder" "$port" > "/etc/systemd/system/bare-$number.service"
systemctl daemon-reload
systemctl start "bare-$number"
good=0
until [ $good = 2 ]; do
  if curl -sf -o /dev/null -m 5 "http://127.0.0.1:$port/"; then good=$((good + 1)); else good=0; sleep 0.1; fi
done
nft -f - <<END
add table inet bare
add chain inet bare switch { type nat hook output priority -110; }
flush chain inet bare switch
add rule inet bare switch ip daddr 127.0.0.1 tcp dport 20999 dnat ip to 127.0.0.1:$port
END
[ "$(curl -sf http://127.0.0.1:20999/)" = "word $4" ]
ended=\${EPOCHREALTIME/./}
for unit in /etc/systemd/system/bare-*.service; do
  name=$(basename "$unit")
  [ "$name" = "bare-$number.service" ] || { systemctl stop "$name"; rm "$unit"; }
done
echo $(((ended - began) / 1000))
`

/** Has svc deploy a commit, asks the stable port until the new release answers, and prints milliseconds. */
const ASK = `
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
const [order, word] = process.argv.slice(2)
const token = readFileSync('/srv/token', 'utf8').trim()
const call = async (name, body) => {
  const answer = await fetch('http://127.0.0.1:8080/api/v1/operations/' + name, {
    method: 'POST', headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' }, body,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(name + ': ' + text)
  return JSON.parse(text)
}
const port = () => {
  try { return JSON.parse(readFileSync('/var/lib/svc-appsd/apps.json')).apps.shop.port } catch { return undefined }
}
const ask = (at) => new Promise((done) => {
  get({ host: '127.0.0.1', port: at, agent: false }, (response) => {
    let text = ''
    response.on('data', (part) => { text += part })
    response.on('end', () => done(text))
  }).on('error', () => done(''))
})
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
await call('jobs.list', '{}')
const { job } = await call('jobs.enqueue', order)
const began = performance.now()
for (let at = port(); (at === undefined ? '' : await ask(at)) !== word; at ??= port()) {
  if (performance.now() - began > 50_000) throw new Error('the new release does not answer')
  await pause(2)
}
const took = performance.now() - began
for (;;) {
  const { job: { state } } = await call('jobs.show', JSON.stringify({ job: job.id }))
  if (state === 'failed') throw new Error('the job failed')
  if (state === 'succeeded') break
  await pause(20)
}
console.log(took.toFixed(1))
`

/** Deploys by the script. Without a fetch the releases of a pair stay. */
async function bare(machine: BootedMachine, isFetched: boolean): Promise<DeployStep> {
  machine.write('/srv/bare.sh', SCRIPT)
  const run = (sha: string, number: number, fetch: string, word: number) =>
    milliseconds(machine, ['bash', '/srv/bare.sh', sha, String(number), fetch, String(word)])
  if (isFetched) return (sha, number) => run(sha, number, 'yes', number)
  const pair: string[] = []
  let turn = 0
  return (sha, number) => {
    if (pair.length < PAIR) {
      pair.push(sha)
      run(sha, 900 + number, 'yes', number)
      if (pair.length < PAIR) return run(sha, number, 'no', number)
    }
    turn += 1
    // The words count from 1, and the pair is of the first two commits.
    return run(pair[turn % PAIR] ?? '', 100 + (turn % 50), 'no', (turn % PAIR) + 1)
  }
}

async function installed(machine: BootedMachine) {
  const host = await HostedMachine.install(machine)
  machine.write('/srv/measure.mjs', ASK)
  const issue = ['tokens', 'issue', '--role', 'operator', '--label', 'bench']
  const { secret } = host.plane.json<{ secret: string }>(...issue)
  machine.write('/srv/token', secret, 0o600)
  const deploy: DeployStep = (sha, word) => {
    const payload = { app: 'shop', source: { type: 'git', repo_url: 'file:///srv/shop', sha } }
    const order = JSON.stringify({ kind: 'deploy', license: host.license, payload })
    return milliseconds(machine, ['node', '/srv/measure.mjs', order, `word ${word}`])
  }
  return { deploy }
}

/** How long a commit takes to the visitors of a server, beside a script that does the same by hand. */
export const deploys: readonly Scenario[] = [
  {
    name: 'deploy',
    question: 'From a commit to its first answer on a server, against a script with the same rule of health',
    variants: [
      deployVariant({ name: BARE, prepare: (machine) => bare(machine, true) }),
      deployVariant({ name: DEPLOY, prepare: async (machine) => (await installed(machine)).deploy }),
    ],
    baseline: BARE,
    seconds: SECONDS,
    gates: [{ goal: 'deploy', figure: 'p50', of: DEPLOY, over: BARE, atMost: 1.3 }],
  },
  {
    name: 'rollback',
    question: 'Back to the release before, against the script without the fetch',
    variants: [
      deployVariant({ name: BARE_BACK, prepare: (machine) => bare(machine, false) }),
      deployVariant({
        name: ROLLBACK,
        prepare: async (machine) => {
          const { deploy } = await installed(machine)
          const pair: { sha: string; word: number }[] = []
          return (sha, number) => {
            if (pair.length < PAIR) {
              pair.push({ sha, word: number })
              return deploy(sha, number)
            }
            pair.reverse()
            const [, before = { sha, word: number }] = pair
            return deploy(before.sha, before.word)
          }
        },
      }),
    ],
    baseline: BARE_BACK,
    seconds: SECONDS,
    gates: [{ goal: 'rollback', figure: 'p50', of: ROLLBACK, over: BARE_BACK, atMost: 1.3 }],
  },
]
