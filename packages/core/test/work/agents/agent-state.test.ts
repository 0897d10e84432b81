import { describe, expect, it } from '@jest/globals'
import { unixSeconds } from '@svc/core'
import { agentId, agentState, OFFLINE_SECONDS } from '@svc/core/ports'

const NOW = new Date('2026-01-05T09:00:00Z')
const ago = (ms: number) => new Date(NOW.getTime() - ms)
const state = (lastHeartbeat: Date | undefined, reportedState = 'ready') =>
  agentState({ lastHeartbeat, reportedState }, NOW)

describe('the state of a host', () => {
  it('is unknown until it reports', () => {
    expect(state(undefined)).toBe('unknown')
    expect(state(undefined, '')).toBe('unknown')
  })

  it('is what it last reported for two intervals and 20 s, then offline', () => {
    expect(OFFLINE_SECONDS).toBe(140)
    expect(state(ago(0))).toBe('ready')
    expect(state(ago(140_000))).toBe('ready')
    expect(state(ago(140_001))).toBe('offline')
  })

  it('is online when it reports without a word', () => {
    expect(state(ago(1000), '')).toBe('online')
    expect(state(ago(200_000), '')).toBe('offline')
  })

  it('that reports from a clock ahead of ours is fresh', () => {
    expect(state(ago(-5000))).toBe('ready')
  })
})

describe('what agents read', () => {
  it('an id shows the first twelve characters of the fingerprint', () => {
    expect(agentId('0123456789abcdef')).toBe('agt_0123456789ab')
    expect(agentId('short')).toBe('agt_short')
    expect(agentId(`${'x'.repeat(11)}😀😀`)).toBe(`agt_${'x'.repeat(11)}😀`)
    expect(agentId('😀'.repeat(13))).toBe(`agt_${'😀'.repeat(12)}`)
  })

  it('instants are whole unix seconds, 0 if never', () => {
    expect(unixSeconds(undefined)).toBe(0)
    expect(unixSeconds(new Date(1_760_000_000_999))).toBe(1_760_000_000)
  })
})
