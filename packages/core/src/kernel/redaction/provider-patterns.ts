import { FAMILY } from './families.ts'
import { EDGE, type SecretPattern, whenever } from './pattern.ts'

const machineMade = (secret: string) => /[0-9A-Z]/.test(secret)

/** Rejects snake-case names: 43 random base64url characters that are all in `[a-z_]` do not happen. */
const notAName = (secret: string) => /[0-9A-Z-]/.test(secret.slice(secret.indexOf('_')))

function provider(kind: string, source: string, accepts: (candidate: string) => boolean = () => true) {
  return { kind, family: FAMILY.provider, expression: new RegExp(source, 'g'), extent: whenever(accepts) }
}

/** Prefixes of provider tokens, for the tripwire. They stand here beside the patterns. */
export const PROVIDER_PREFIXES = [
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'],
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
  ...[
    'glpat-',
    'gldt-',
    'glrt-',
    'glcbt-',
    'glptt-',
    'glft-',
    'glsoat-',
    'glimt-',
    'glagent-',
    'gloas-',
    'GR1348941',
  ],
  ...['xoxa', 'xoxb', 'xoxc', 'xoxd', 'xoxe', 'xoxo', 'xoxp', 'xoxr', 'xoxs', 'xapp-', 'hooks.slack'],
  ...['sk-', 'gsk_', 'hf_', 'xai-', 'sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_', 'npm_', 'SG.'],
  ...['AIza', 'ya29.', 'GOCSPX-', '1//0', 'dop_v1_', 'doo_v1_', 'dor_v1_'],
  ...[
    'hvs.',
    'pypi-AgE',
    'dckr_pat_',
    'shpat_',
    'shpca_',
    'shppa_',
    'shpss_',
    'lin_api_',
    'ATATT3',
    'tskey-',
  ],
  ...[
    'rubygems_',
    'glsa_',
    'figd_',
    'PMAK-',
    'AGE-SECRET-KEY-1',
    'svc_session=v1.',
    'svct_v1',
    'svcsk_',
    'svcat_',
    'svc_',
  ],
] as const

/**
 * Patterns of tokens with a provider's prefix. If several rows match at a position, the first one gives the
 * kind.
 */
export const PROVIDER_PATTERNS: readonly SecretPattern[] = [
  provider('session-cookie', String.raw`(svc_session=)v1\.[A-Za-z0-9_.-]{16,}`),
  provider('transfer-key', String.raw`svct_v1[._:-]?[A-Za-z0-9_.=-]{16,}`),
  provider('signing-key', String.raw`svcsk_[A-Za-z0-9_-]{43,}`, notAName),
  provider('api-token', String.raw`svcat_[A-Za-z0-9_-]{43,}`, notAName),
  provider('browser-token', String.raw`svcb_[A-Za-z0-9_-]{43,}`, notAName),
  provider('license-key', String.raw`svc_[A-Za-z0-9_-]{43,}`, notAName),
  // Lists of credentials have the secret next to its identifier. Its 40 characters alone match no pattern.
  provider(
    'aws-secret',
    String.raw`((?:AKIA|ASIA)[A-Z0-9]{16}[\s,:;|"']{1,8})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])`,
  ),
  provider('aws-key', String.raw`${EDGE}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`),
  provider(
    'github-token',
    String.raw`(?:gh[pousr]_[A-Za-z0-9]{20,}[A-Za-z0-9_.-]{0,2048}|github_pat_\w{22,})`,
  ),
  provider(
    'gitlab-token',
    String.raw`(?:gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-|GR1348941)[\w-]{16,}(?:\.[\w-]{1,128}){0,4}`,
  ),
  provider('slack-token', String.raw`(?:xox[a-eoprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9-]{10,}`),
  provider('slack-webhook', String.raw`(hooks\.slack(?:-gov)?\.com/[a-z]{1,16}/)[A-Za-z0-9/]{16,}`),
  provider(
    'ai-key',
    `${EDGE}(?:sk-[A-Za-z0-9_-]{20,}|gsk_[A-Za-z0-9]{32,}|hf_[A-Za-z0-9]{30,}|xai-\\w{40,})`,
    machineMade,
  ),
  provider('stripe-key', String.raw`${EDGE}[sr]k_(?:live|test)_[A-Za-z0-9]{10,}`),
  provider('webhook-secret', String.raw`whsec_[A-Za-z0-9+/=_-]{16,}`),
  provider('npm-token', String.raw`npm_[A-Za-z0-9]{30,}`),
  provider('sendgrid-key', String.raw`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
  provider(
    'google-key',
    String.raw`(?:AIza[\w-]{35,}|ya29\.[\w.-]{20,}|GOCSPX-[\w-]{20,}|${EDGE}1//0[\w-]{20,})`,
  ),
  provider('digitalocean-token', 'do[opr]_v1_[a-f0-9]{32,}'),
  provider('service-token', String.raw`${EDGE}hvs\.[\w-]{20,}|pypi-AgE[\w-]{40,}|dckr_pat_[\w-]{20,}`),
  provider(
    'service-token',
    'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}|lin_api_[A-Za-z0-9]{30,}|ATATT3[\\w=-]{40,}',
  ),
  provider(
    'service-token',
    String.raw`${EDGE}(?:tskey-[a-z]{2,12}-[\w-]{16,}|rubygems_[a-f0-9]{40,}|glsa_\w{32,})`,
  ),
  provider('service-token', String.raw`${EDGE}(?:figd_[\w-]{30,}|PMAK-[a-f0-9]{20,}-[a-f0-9]{20,})`),
  provider('age-key', 'AGE-SECRET-KEY-1[A-Z0-9]{40,}'),
]
