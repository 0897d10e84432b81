// A whole agent loop with an upload, an event stream, a wait that is left and a sign-in.
import assert from 'node:assert/strict'
import { createControlPlane, generateSigningKey, readConfig } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { createApp } from '@svc/http'

const storage = await openStorage({ memory: true })
const environment = {
  SERVICE_LICENSE_PRIVKEY: generateSigningKey().privateKey,
  SERVICE_PUBLIC_URL: 'http://svc.example',
}
const docsDir = 'packages/core/test/reach/chat/site'
const plane = createControlPlane({ config: readConfig(environment), storage, docsDir })
const controlPlane = createApp(plane)
const { license, key } = await plane.licenses.issue({ label: 'example' })
const account = { email: 'ada@example.com', password: 'correct horse battery' }
await plane.users.add({ ...account, role: 'operator', tenantId: undefined })

const { base, stop } =
  globalThis.Bun === undefined
    ? deno((request, { remoteAddr }) => controlPlane.fetch(request, { address: remoteAddr.hostname }))
    : bun((request, server) => controlPlane.fetch(request, { address: server.requestIP(request)?.address }))

function deno(handle) {
  const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, handle)
  return { base: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() }
}

function bun(fetch) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  return { base: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

const post = (path, body, headers = { authorization: `Bearer ${key}` }) =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const { job } = await plane.jobs.enqueue({ licenseId: license.id, kind: 'stop', payload: { app: 'shop' } })
assert.equal((await post('/v1/license/activate', { fingerprint: 'fp' })).status, 200)
assert.equal((await post('/v1/telemetry/heartbeat', { fingerprint: 'fp', hostname: 'one' })).status, 200)
const claimed = await post('/v1/jobs/claim', { fingerprint: 'fp' })
assert.equal((await claimed.json()).job.id, job.id)
const lines = Array.from({ length: 1000 }, (_, ts) => ({ ts, line: 'x'.repeat(4000) }))
assert.deepEqual(await (await post(`/v1/jobs/${job.id}/logs`, { lines })).json(), {
  ok: true,
  accepted: 1000,
})
const end = { fingerprint: 'fp', state: 'succeeded', exit_code: 0 }
assert.equal((await post(`/v1/jobs/${job.id}/status`, end)).status, 200)
assert.equal((await post('/v1/jobs/claim', { fingerprint: 'fp' })).status, 204)
assert.equal((await post('/v1/jobs/claim', '{')).status, 400)

const answer = await post('/api/chat', { message: 'How do I install the agent?' }, {})
assert.match(await answer.text(), /"type":"meta"[\s\S]*"type":"done"/)

const waiting = new AbortController()
const wait = fetch(`${base}/v1/jobs/claim`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, prefer: 'wait=50' },
  body: '{"fingerprint":"fp"}',
  signal: waiting.signal,
})
setTimeout(() => waiting.abort(), 200)
await assert.rejects(wait)

const signedIn = await post('/login', account, {})
assert.match(signedIn.headers.get('set-cookie') ?? '', /^svc_session=v1\./)
console.log(await signedIn.text())
await stop()
await storage[Symbol.asyncDispose]()
process.exit(0)
