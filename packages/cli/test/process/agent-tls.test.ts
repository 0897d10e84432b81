import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { makeCertificate } from '../../../../test/support/certificate.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'

const KEY = 'lk_said-to-nobody-unknown'

let cwd: string
let authorities: string
let heard: (string | undefined)[]
let tunnels: string[]
let plane: Server
let proxy: Server

const portOf = (server: Server) => (server.address() as AddressInfo).port
const listening = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  heard = []
  tunnels = []
  const certificate = makeCertificate(['127.0.0.1'])
  authorities = join(cwd, 'authorities.pem')
  await writeFile(authorities, certificate.cert)
  // Refuses the key, which ends an agent that has said it.
  plane = createServer(certificate, (request, response) => {
    heard.push(request.headers.authorization)
    response.writeHead(403).end('{"error":"license rejected"}')
  })
  proxy = createHttpServer().on('connect', (request, socket) => {
    tunnels.push(request.url ?? '')
    const far = connect(portOf(plane), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(far).pipe(socket)
    })
    far.on('error', () => socket.destroy())
    socket.on('error', () => far.destroy())
  })
  await Promise.all([listening(plane), listening(proxy)])
})
afterEach(async () => {
  for (const server of [plane, proxy]) server.close()
  await rm(cwd, { recursive: true, force: true })
})

const agentRun = () => ['agent', 'run', '--url', `https://127.0.0.1:${portOf(plane)}`, '--state-dir', 'agent']
const environment = (more: object) => ({ cwd, env: { SERVICE_LICENSE_KEY: KEY, ...more } })

test.each([
  ['directly', () => ({})],
  ['by a proxy', () => ({ HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}` })],
])(
  'The key is not said to a plane whose certificate nobody vouches for, %s, although NODE_TLS_REJECT_UNAUTHORIZED=0',
  async (how, more) => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0', ...more() }
    await using agent = new SvcProcess(agentRun(), environment(env))
    await agent.until('err', 'DEPTH_ZERO_SELF_SIGNED_CERT')
    expect(heard).toEqual([])
    expect(tunnels.length > 0).toBe(how === 'by a proxy')
  },
)

test.each([
  ['NODE_EXTRA_CA_CERTS', () => ({ NODE_EXTRA_CA_CERTS: authorities })],
  ['SSL_CERT_FILE', () => ({ SSL_CERT_FILE: authorities, NODE_OPTIONS: '--use-openssl-ca' })],
  ['NODE_USE_SYSTEM_CA', () => ({ SSL_CERT_FILE: authorities, NODE_USE_SYSTEM_CA: '1' })],
])('A private authority is trusted by %s', async (_, more) => {
  const { code } = await runSvc(agentRun(), environment(more()))
  expect(heard).toEqual([`Bearer ${KEY}`])
  expect(code).toBe(4)
})
