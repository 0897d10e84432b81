import type { FindingSeverity } from '../../watch/surface/surface-finding.ts'

/** One path that should not be public, and how its content is told from any other. */
export interface FileProbe {
  readonly id: string
  readonly path: string
  readonly severity: FindingSeverity
  /** Matches the beginning of the body, one character per byte. */
  readonly says: RegExp
  /** Whether the content is so distinct that it counts even where a server answers every path. */
  readonly isStrong: boolean
  /** Whether the content is a page: all others never begin like one. */
  readonly isPage?: true
  /** Whether only the first bytes are asked for. */
  readonly isBinary?: true
  readonly remediation: string
}

const GIT = 'do not publish the folder .git: its history can be downloaded'
const ENV = 'take the file out of the published folder, and replace every secret in it'
const KEY = 'take the key out of the published folder, and replace it'
const BACKUP = 'keep backups outside of the published folder'
const ADMIN = 'let only your own addresses reach this page'

const strong = (
  id: string,
  path: string,
  says: RegExp,
  remediation: string,
  severity: FindingSeverity = 'high',
): FileProbe => ({ id, path, severity, says, isStrong: true, remediation })
const binary = (id: string, path: string, says: RegExp, severity: FindingSeverity = 'high'): FileProbe => ({
  ...strong(id, path, says, BACKUP, severity),
  isBinary: true,
})
const page = (id: string, path: string, says: RegExp, severity: FindingSeverity = 'medium'): FileProbe => ({
  id,
  path,
  severity,
  says,
  isStrong: true,
  isPage: true,
  remediation: ADMIN,
})

/** Two lines or more of assignments. */
const ENV_LINES = /^(?:export )?[A-Z][A-Z0-9_]+=[^\n]*\n(?:[^\n]*\n)*?(?:export )?[A-Z][A-Z0-9_]+=/m
const PEM = /^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/m
const SQL = /^(?:-- (?:MySQL|MariaDB|PostgreSQL|phpMyAdmin)|(?:CREATE|INSERT|DROP) |PGDMP)/m
/** A look ends where the next one would begin: otherwise many beginnings would each read to the end. */
const PHP_PASSWORD = /<\?php(?:(?!<\?php)[\s\S])*?(?:password|passwd)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: the magic of archives is binary
const ZIP = /^PK\u0003\u0004/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the magic of archives is binary
const GZIP = /^\u001f\u008b/

/** Paths to ask for, at most as many as the budget of a host leaves room for. */
export const FILE_PROBES: readonly FileProbe[] = [
  strong('exposed-git-config', '/.git/config', /^[ \t]*\[core\]/m, GIT),
  strong('exposed-git-head', '/.git/HEAD', /^ref: refs\//, GIT),
  strong('exposed-env', '/.env', ENV_LINES, ENV),
  strong('exposed-env', '/.env.local', ENV_LINES, ENV),
  strong('exposed-env', '/.env.production', ENV_LINES, ENV),
  strong('exposed-env', '/.env.backup', ENV_LINES, ENV),
  strong('exposed-aws-credentials', '/.aws/credentials', /^[ \t]*\[default\]\s*\naws_/m, ENV),
  strong('exposed-ssh-key', '/id_rsa', PEM, KEY),
  strong('exposed-ssh-key', '/.ssh/id_rsa', PEM, KEY),
  strong('exposed-ssh-key', '/.ssh/id_ed25519', PEM, KEY),
  strong('exposed-private-key', '/server.key', PEM, KEY),
  strong('exposed-private-key', '/privkey.pem', PEM, KEY),
  strong('exposed-wp-config', '/wp-config.php.bak', /DB_PASSWORD/, ENV),
  strong('exposed-wp-config', '/wp-config.php~', /DB_PASSWORD/, ENV),
  strong('exposed-wp-config', '/wp-config.old', /DB_PASSWORD/, ENV),
  strong('exposed-htpasswd', '/.htpasswd', /^[^\s:<]{1,64}:(?:\$apr1\$|\$2[aby]\$|\{SHA\})/m, ENV),
  strong('exposed-npm-token', '/.npmrc', /^[^\n<]*_authToken=/m, ENV),
  strong('exposed-netrc', '/.netrc', /^machine\s+\S+\s+login\s/m, ENV),
  strong('exposed-docker-auth', '/.docker/config.json', /"auths"\s*:/, ENV),
  strong('exposed-bash-history', '/.bash_history', /^(?:sudo |cd |ls|git |ssh |docker )/m, ENV, 'medium'),
  strong('exposed-compose-file', '/docker-compose.yml', /^services:\s*$/m, ENV, 'medium'),
  strong('exposed-kubeconfig', '/.kube/config', /^kind: Config$/m, ENV),
  strong('exposed-terraform-state', '/terraform.tfstate', /"terraform_version"\s*:/, ENV),
  strong('exposed-actuator', '/actuator/env', /"propertySources"\s*:/, ADMIN),
  strong('exposed-actuator', '/env', /"propertySources"\s*:/, ADMIN),
  strong('exposed-hg', '/.hg/requires', /^(?:revlogv1|dotencode|fncache|store)$/m, GIT),
  strong('exposed-config-backup', '/config.php.bak', PHP_PASSWORD, ENV),
  binary('exposed-svn', '/.svn/wc.db', /^SQLite format 3/),
  binary('exposed-database', '/db.sqlite3', /^SQLite format 3/),
  binary('exposed-backup', '/backup.zip', ZIP),
  binary('exposed-backup', '/backup.tar.gz', GZIP),
  binary('exposed-backup', '/www.zip', ZIP),
  binary('exposed-dump', '/dump.sql.gz', GZIP),
  strong('exposed-dump', '/dump.sql', SQL, BACKUP),
  strong('exposed-dump', '/backup.sql', SQL, BACKUP),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the magic of the file is binary
  binary('exposed-ds-store', '/.DS_Store', /^\u0000\u0000\u0000\u0001Bud1/, 'low'),
  page('exposed-server-status', '/server-status', /Apache Server Status/),
  page('exposed-phpinfo', '/phpinfo.php', /<title>phpinfo\(\)/i),
  page('exposed-phpinfo', '/info.php', /<title>phpinfo\(\)/i),
  page('directory-listing', '/backup/', /<title>Index of \/backup/i, 'low'),
  page('directory-listing', '/uploads/', /<title>Index of \/uploads/i, 'low'),
]
