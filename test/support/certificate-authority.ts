import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A certificate and its key, as paths of PEM files. */
export interface Pair {
  readonly cert: string
  readonly key: string
}

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Makes an authority of one's own in `folder`, by openssl. */
export async function makeAuthority(folder: string, name: string): Promise<Pair> {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const isCa = ['-addext', 'basicConstraints=critical,CA:TRUE', '-days', '2']
  await run('openssl', [
    'req',
    '-x509',
    ...EC_KEY,
    '-keyout',
    key,
    '-out',
    cert,
    '-subj',
    `/CN=${name}`,
    ...isCa,
  ])
  return { cert, key }
}

/**
 * Has `authority` certify `subject`, and the names of a server when there are any: `DNS:localhost`,
 * `IP:127.0.0.1`.
 */
export async function certify(
  folder: string,
  authority: Pair,
  subject: string,
  names?: string,
): Promise<Pair> {
  const [cert, key] = [join(folder, `${subject}.crt`), join(folder, `${subject}.key`)]
  const [request, extensions] = [join(folder, `${subject}.csr`), join(folder, `${subject}.ext`)]
  await run('openssl', ['req', ...EC_KEY, '-keyout', key, '-out', request, '-subj', `/CN=${subject}`])
  await writeFile(extensions, names === undefined ? '' : `subjectAltName=${names}\n`)
  const signer = ['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial', '-days', '2']
  await run('openssl', ['x509', '-req', '-in', request, '-out', cert, ...signer, '-extfile', extensions])
  return { cert, key }
}
