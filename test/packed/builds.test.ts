import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BootedMachine } from './booted-machine.ts'
import { endedWell, failedJob, HostedMachine } from './hosted-machine.ts'

const booted = await HostedMachine.boot(['nft', 'git', 'curl'])
const onHost = typeof booted === 'string' ? test.skip : test
const without = typeof booted === 'string' ? ` (skipped: ${booted})` : ''
const machine = booted as BootedMachine

const SERVER = `
import { createServer } from 'node:http'
createServer((request, response) => response.end('it is ' + process.env.WORD)).listen(process.env.PORT)
`
const SECRET = 'a-secret-of-the-app'
const TOKEN = 'a-token-of-the-build'

let host: HostedMachine
beforeAll(async () => {
  if (typeof booted === 'string') return
  host = await HostedMachine.install(booted)
  const sha = host.commit('victim', { 'server.js': SERVER, 'svc.json': definition({}) })
  endedWell(host.deploy('victim', sha, { env: { WORD: SECRET } }))
}, 180_000)
afterAll(async () => {
  if (typeof booted !== 'string') await booted[Symbol.asyncDispose]()
})

const definition = (build: object) =>
  JSON.stringify({ version: 1, build, processes: { web: { command: 'node server.js' } } })

/** Deploys an application whose build is this script. */
const built = (script: string, build: object = {}, more: object = {}) => {
  const files = { 'server.js': SERVER, 'package.json': '{"type":"module"}', 'build.sh': script }
  const sha = host.commit('shop', { ...files, 'svc.json': definition({ command: 'sh build.sh', ...build }) })
  return { sha, job: host.deploy('shop', sha, more) }
}
const released = (sha: string) => `/var/lib/svc-appsd/releases/shop/${sha}`
const left = () => machine.sh('ls -A /var/lib/svc-appsd/builds/*/ | grep -v -e home -e : -e "^$" || true')

onHost(
  `a build has a user of its own, the variables that it names, and a release that is root's${without}`,
  () => {
    const script =
      'echo "$(id -un) $PWD $TOKEN. $WORD."; echo kept >>"$HOME/cache"; cp "$HOME/cache" made; umask 077; echo 1 >closed'
    const given = { env: { WORD: 'one', TOKEN } }
    const { sha, job } = built(script, { env: ['TOKEN', 'LACKING'] }, given)
    const log = endedWell(job)
    expect(log).toMatch(
      /sb-[a-z2-7]{10} \/var\/lib\/svc-appsd\/releases\/shop\/[0-9a-f]{40} a-token-of-the-build\. \./,
    )
    expect(log).toContain('build.env: shop has no variable LACKING')
    expect(host.ask('shop')).toBe('it is one')
    expect(
      machine.sh(
        `find ${released(sha)} ! -user root -o -perm /027 | grep -v -x ${released(sha)} || true; stat -c '%U %a' ${released(sha)} ${released(sha)}/closed`,
      ),
    ).toBe('root 750\nroot 640')
    const other = endedWell(host.deploy('shop', sha, { env: { WORD: 'two', TOKEN: `${TOKEN}-other` } }))
    expect(other).toContain('built already, with other variables: the next commit is built with these')
    expect(host.ask('shop')).toBe('it is two')
    const next = built(`${script} # again`, { env: ['TOKEN'] }, given)
    endedWell(next.job)
    expect(machine.sh(`cat ${released(next.sha)}/made`)).toBe('kept\nkept')
    expect(
      machine.sh(
        `grep -rl ${TOKEN} /var/lib/svc-appsd /run/systemd | grep -v -e apps.json -e /units/ || true`,
      ),
    ).toBe('')
    expect(left()).toBe('')
  },
  120_000,
)

/** Each tries to get something, and prints its name when it does. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  'the release of another application': 'ls /var/lib/svc-appsd/releases/victim',
  'its commit': 'ls /var/lib/svc-agent/apps',
  'its variables': 'cat /var/lib/svc-appsd/units/*victim*/env',
  'its output': 'cat /var/lib/svc-appsd/logs/victim.log',
  'the record of all': 'cat /var/lib/svc-appsd/apps.json',
  'its port': 'curl -sf -m 3 http://127.0.0.1:VICTIM/',
  'the socket of orders': 'curl -sf -m 3 --unix-socket /run/svc-appsd/control.sock -X POST http://x/status',
  'the folder of the agent': 'ls /var/lib/svc-agent',
  'variables of its own application': 'test -n "$WORD$SVC_ENV_FILE"',
  'variables of other processes': `cat /proc/[0-9]*/environ 2>/dev/null | grep -q ${SECRET}`,
  'a folder of the system': 'touch /etc/x || touch /usr/x || touch /var/x || touch /opt/x',
  'the folder of all releases': 'touch /var/lib/svc-appsd/releases/x',
  'a program with the rights of its file': 'cp /bin/sh own && chmod 4755 own && test -u own',
  'another user': 'su -c id nobody </dev/null || setpriv --reuid=0 id',
  'a unit': 'systemctl start nftables || systemd-run --wait true',
  'a device': 'mknod own-device c 1 5',
}

onHost(
  `a hostile build gets nothing of the host, of other applications or of its own variables${without}`,
  () => {
    const { port } = host.record().apps.victim
    const lines = Object.entries(ATTEMPTS).map(
      ([name, command]) =>
        `if ( ${command.replace('VICTIM', port)} ) >/dev/null 2>&1; then echo 'GOT ${name}'; fi`,
    )
    const script = `${lines.join('\n')}\nln -s /var/lib/svc-appsd/apps.json record\nsetsid sleep 4321 &\necho tried all`
    const { sha, job } = built(script, {}, { env: { WORD: SECRET } })
    const log = endedWell(job)
    expect(log).toContain('tried all')
    expect(log).not.toContain('GOT')
    expect(machine.sh(`pgrep -f '[s]leep 4321' || true; stat -c %U ${released(sha)}/record`)).toBe('root')
    expect(machine.sh('stat -c %U /var/lib/svc-appsd/apps.json')).toBe('root')
    // The same attempts succeed as root, so that each is one that could.
    const asRoot = ['its variables', 'the record of all', 'its port', 'the socket of orders'] as const
    for (const name of asRoot) machine.sh((ATTEMPTS[name] ?? '').replace('VICTIM', port))
  },
  120_000,
)

const HARMS: readonly [string, string, object, string | undefined][] = [
  ['no end', 'sleep 1000', { timeout_s: 2 }, 'it ran longer than 2 s, and was ended'],
  ['an end that it puts off', "trap '' TERM; sleep 1000", { timeout_s: 2 }, 'it ran longer than 2 s'],
  ['a failure', 'exit 7', {}, 'the build: it ended with exit code 7: sh build.sh'],
  [
    'more processes than it may have',
    'for n in $(seq 3000); do sleep 5 & done; wait',
    {},
    'the build: it ended',
  ],
  [
    'a path without measure',
    `node -e "for (let n = 0; n < 3000; n += 1) { fs.mkdirSync('d'); process.chdir('d') }"`,
    {},
    undefined,
  ],
]

onHost.each(HARMS)(
  `a build with %s harms no other, and leaves nothing${without}`,
  (_, script, build, fault) => {
    const before = host.record().apps.shop.live.sha
    const { sha, job } = built(script, build)
    if (fault === undefined) endedWell(job)
    else {
      expect(failedJob(job)).toContain(fault)
      expect(host.record().apps.shop.live.sha).toBe(before)
      expect(machine.sh(`test -e ${released(sha)} || echo gone`)).toBe('gone')
    }
    expect(host.ask('victim')).toBe(`it is ${SECRET}`)
    expect(left()).toBe('')
  },
  180_000,
)

onHost(
  `a build whose output has no measure fills neither the memory nor the disk of the host${without}`,
  () => {
    const script = 'head -c 400000000 /dev/zero | tr "\\0" x | fold -w 4000'
    const files = { 'build.sh': script, 'svc.json': definition({ command: 'sh build.sh' }) }
    const source = { type: 'git', repo_url: 'file:///srv/shop', sha: host.commit('shop', files) }
    const words = ['--license', host.license, '--payload', JSON.stringify({ app: 'shop', source })]
    const { job } = host.plane.json<{ job: { id: string } }>('jobs', 'enqueue', 'deploy', ...words)
    const main = machine.sh('systemctl show --value -p MainPID svc-appsd')
    const show = () => host.plane.json<{ job: { state: string } }>('jobs', 'show', job.id).job.state
    let most = 0
    let state = show()
    for (let look = 0; look < 200 && (state === 'running' || state === 'queued'); look += 1) {
      most = Math.max(
        most,
        Number(machine.sh(`awk '/RssAnon/ { print $2 }' /proc/${main}/status; sleep 0.5`)),
      )
      state = show()
    }
    expect(state).toBe('succeeded')
    expect(most).toBeLessThan(150_000)
    expect(host.ask('victim')).toBe(`it is ${SECRET}`)
  },
  180_000,
)

onHost(
  `a supervisor that is killed in a build leaves nothing of it, and the next deploy builds${without}`,
  () => {
    machine.sh('systemd-run --quiet --on-active=2.5 systemctl kill --kill-who=main --signal=KILL svc-appsd')
    const { sha, job } = built('echo begun; test -e "$HOME/go" || sleep 20')
    expect(job.state).not.toBe('succeeded')
    machine.sh('sleep 2; until test -S /run/svc-appsd/control.sock; do sleep 0.1; done; sleep 1')
    expect(left()).toBe('')
    expect(machine.sh("pgrep -f '[s]leep 20' || true")).toBe('')
    machine.sh('for home in /var/lib/svc-appsd/builds/sb-*/home; do touch $home/go; done')
    endedWell(host.deploy('shop', sha))
    expect(host.record().apps.shop.live.sha).toBe(sha)
  },
  120_000,
)

onHost(
  `releases that are gone take their files with them${without}`,
  () => {
    for (const name of ['a', 'b', 'c', 'd']) endedWell(built(`echo ${name}`).job)
    expect(machine.sh('ls /var/lib/svc-appsd/releases/shop').split('\n').length).toBeLessThanOrEqual(4)
    endedWell(host.job('prune', { older_than_seconds: 0 }))
    const { sha } = host.record().apps.shop.live
    expect(machine.sh('ls /var/lib/svc-appsd/releases/shop')).toBe(sha)
    endedWell(host.job('remove', { app: 'shop' }))
    expect(machine.sh('ls /var/lib/svc-appsd/releases')).toBe('victim')
    expect(machine.sh('ls /var/lib/svc-appsd/builds').split('\n')).toHaveLength(1)
  },
  120_000,
)

onHost(
  `deploy.sh and stop.sh run as the builder too, with the variables of the application${without}`,
  () => {
    const files = {
      'deploy.sh': `echo "$(id -un) $WORD"; cat "$SVC_CURRENT_DIR/made" || echo first
touch "$SVC_CURRENT_DIR/x" 2>/dev/null && echo GOT the live one
ls /var/lib/svc-agent 2>/dev/null && echo GOT the agent
echo $((1 + $(cat "$SVC_STATE_DIR/count" || echo 0))) >"$SVC_STATE_DIR/count"; cp "$SVC_STATE_DIR/count" made
exit $CODE`,
      'stop.sh': 'echo "stopped by $(id -un) at $(cat made)"; touch x || echo closed',
    }
    const sha = host.commit('script', files)
    const deploy = (commit: string, code: string) =>
      host.deploy('script', commit, { env: { WORD: 'one', CODE: code } })
    const log = endedWell(deploy(sha, '0'))
    expect(log).toMatch(/^sb-[a-z2-7]{10} one$/m)
    expect(log).toContain('first')
    const next = host.commit('script', { ...files, page: 'two' })
    for (const code of ['9', '10'])
      expect(failedJob(deploy(next, code))).toContain(`deploy.sh ended with exit code ${code}`)
    const second = endedWell(deploy(next, '0'))
    expect(second).toMatch(/^1$/m)
    expect(second).not.toContain('GOT')
    const stopped = endedWell(host.job('stop', { app: 'script' }))
    expect(stopped).toMatch(/stopped by sb-[a-z2-7]{10} at 4/)
    expect(stopped).toContain('closed')
    endedWell(host.job('remove', { app: 'script' }))
    expect(machine.sh('ls /var/lib/svc-appsd/releases')).toBe('victim')
  },
  120_000,
)
