import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { checkProof, PROOF_WINDOW_MS, proofBytes } from '../../../src/work/agents/agent-proof.ts'

const NOW = new Date('2026-01-05T09:00:00.000Z')
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const x = publicKey.export({ format: 'jwk' }).x ?? ''
const KEY = Buffer.from(x, 'base64url').toString('base64')

const proofAt = (atMs: number, fingerprint = 'fp', key = privateKey) =>
  `t=${atMs};sig=${sign(null, proofBytes(fingerprint, atMs), key).toString('base64')}`
const check = (proof: string | undefined, key: string | undefined = KEY) =>
  checkProof({ key, proof }, 'fp', NOW)

describe('the proof of a host', () => {
  it.each([0, PROOF_WINDOW_MS, -PROOF_WINDOW_MS])('holds for now, give or take two minutes: %i ms', (off) => {
    expect(check(proofAt(+NOW + off))).toEqual({ key: x, atMs: +NOW + off })
  })

  it('is none when the host shows neither key nor proof', () => {
    expect(checkProof({ key: undefined, proof: undefined }, 'fp', NOW)).toBe('none')
  })

  const good = proofAt(+NOW)
  const other = generateKeyPairSync('ed25519').privateKey
  it.each([
    ['a key alone', undefined, KEY],
    ['a proof alone', good, undefined],
    ['another key', proofAt(+NOW, 'fp', other), KEY],
    ['another host', proofAt(+NOW, 'fp2'), KEY],
    ['another time', good.replace(/t=\d+/, `t=${+NOW + 1}`), KEY],
    ['too old', proofAt(+NOW - PROOF_WINDOW_MS - 1), KEY],
    ['too early', proofAt(+NOW + PROOF_WINDOW_MS + 1), KEY],
    ['seconds', proofAt(+NOW / 1000), KEY],
    ['no number', good.replace(/t=\d+/, 't=1e12'), KEY],
    ['a short key', good, KEY.slice(0, 20)],
    ['a key that is no base64', good, '*'.repeat(44)],
    ['a short signature', good.slice(0, -20), KEY],
    ['two of them', `${good},${good}`, KEY],
    ['10,000 characters', `t=1;sig=${'A'.repeat(10_000)}`, KEY],
  ])('is bad with %s', (_what, proof, key) => {
    expect(checkProof({ key, proof }, 'fp', NOW)).toBe('bad')
  })
})
