import { buildId } from '../build-id.ts'
import { buildLicense } from '../people/licenses/build-license.ts'
import { expect, it } from '../runner.ts'
import { buildHeartbeat } from '../work/agents/build-heartbeat.ts'
import { type Caller, type Crowd, type CrowdScene, REFUSED } from './contract-crowd.ts'

const KEYS = 12
const LICENSES = 3
const HOSTS = 5
/** Half of a surrogate pair, which storage keeps as U+FFFD. */
const HALF = '\udc00'

/** Tests of license keys and heartbeats that arrive at the same time. */
export function hostsContract(crowd: Crowd): void {
  it('every key opens its own license, at the instant that its caller asks about', async () => {
    const scene = crowd()
    const { licenses } = scene.storage
    const { now } = scene.license()
    const at = (ms: number) => new Date(now.getTime() + ms)
    const ask = (name: string, keyDigest: string, instant: Date, hears: string | undefined): Caller => ({
      name,
      ask: () => licenses.usableId(keyDigest, instant),
      hears,
    })
    const callers: Caller[] = [ask('unknown', '0'.repeat(64), now, undefined)]
    for (let number = 0; number < KEYS; number += 1) {
      const license = buildLicense({ expiresAt: at(1000 + number) })
      await licenses.add(license, now)
      const { id, keyDigest } = license
      const isGood = number % 4 !== 3
      if (!isGood) await licenses.setStatus(id, 'suspended')
      callers.push(
        ask(`${number} good`, keyDigest, at(999 + number), isGood ? id : undefined),
        ask(`${number} over`, keyDigest, at(1000 + number), undefined),
      )
    }
    for (let round = 0; round < 3; round += 1) await scene.ask(callers)
  })

  it('hosts of one key that ask at once all hear of its license', async () => {
    const scene = crowd()
    const [one, other] = [buildLicense(), buildLicense()]
    for (const license of [one, other]) await scene.storage.licenses.add(license)
    const asked = scene.shuffled(Array.from({ length: 20 }, (_, place) => (place % 2 === 0 ? one : other)))
    const heard = await Promise.all(asked.map(({ keyDigest }) => scene.storage.licenses.usableId(keyDigest)))
    expect(heard).toEqual(asked.map(({ id }) => id))
  })

  it('every heartbeat hears its own count, its own jobs to stop and whether it is drained', async () => {
    const scene = crowd()
    const hosts = await knownHosts(scene)
    for (let round = 1; round <= 3; round += 1)
      await scene.ask(
        hosts.map((host) => ({
          name: host.name,
          ask: () => scene.storage.agents.heartbeat(buildHeartbeat(host), host.now),
          hears: host.isGood
            ? { seq: host.beats + round, cancel: host.cancel, drained: host.drained }
            : REFUSED,
        })),
      )
  })

  it('every host that finds no work hears its own jobs to stop and whether it is drained', async () => {
    const scene = crowd()
    const hosts = await knownHosts(scene)
    for (let round = 0; round < 3; round += 1)
      await scene.ask(
        hosts.map(({ name, licenseId, fingerprint, keyDigest, now, ...host }) => ({
          name,
          ask: () =>
            scene.storage.jobs.lease(
              { licenseId, fingerprint, keyDigest, leaseSeconds: 300, claimKey: undefined },
              now,
            ),
          hears: host.isGood
            ? { job: undefined, how: undefined, cancel: host.cancel, drained: host.drained, ended: [] }
            : REFUSED,
          isPlain: host.cancel.length === 0,
        })),
      )
  })
}

interface KnownHost {
  readonly name: string
  readonly licenseId: string
  readonly fingerprint: string
  readonly keyDigest: string
  readonly now: Date
  readonly beats: number
  readonly cancel: readonly string[]
  readonly drained: boolean
  readonly isGood: boolean
}

/**
 * Makes hosts with the same fingerprints under several licenses; each gets a different answer, and one sends
 * an unknown key.
 */
async function knownHosts(scene: CrowdScene): Promise<readonly KnownHost[]> {
  const hosts: KnownHost[] = []
  for (let number = 0; number < LICENSES; number += 1) {
    const license = scene.license()
    const keyDigest = await license.license()
    const { licenseId, now } = license
    const { agents } = scene.storage
    const fingerprints = [HALF, ...Array.from({ length: HOSTS }, (_, host) => `host-${host}`)]
    for (const [place, fingerprint] of scene.shuffled(fingerprints).entries()) {
      const name = `${licenseId} ${fingerprint}`
      const cancel: string[] = []
      for (let held = 0; fingerprint !== HALF && held < place % 3; held += 1) {
        const job = await license.held({ target: fingerprint }, fingerprint)
        await license.cancel(job)
        cancel.push(job.id)
      }
      const beats = number * (HOSTS + 1) + place
      const drained = place % 2 === 0
      for (let beat = 0; beat < beats; beat += 1)
        await agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), now)
      if (beats > 0) await agents.change(licenseId, fingerprint, { drained }, now)
      const known = { name, licenseId, fingerprint, keyDigest, now, beats, cancel }
      hosts.push({ ...known, drained: drained && beats > 0, isGood: true })
    }
    const stranger = { licenseId, fingerprint: buildId('fp'), keyDigest: 'f'.repeat(64), now }
    hosts.push({
      ...stranger,
      name: `${licenseId} stranger`,
      beats: 0,
      cancel: [],
      drained: false,
      isGood: false,
    })
  }
  return hosts
}
