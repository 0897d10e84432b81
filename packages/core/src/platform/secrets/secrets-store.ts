/** A column with secrets that are sealed at rest. */
export interface SecretColumn {
  readonly table: string
  /** The column that names the row. */
  readonly id: string
  readonly column: string
}

/** Every column with sealed secrets. A feature that stores one adds its column here. */
export const SECRET_COLUMNS = {
  alertWebhooks: { table: 'alert_webhooks', id: 'tenant_id', column: 'secret' },
  appVariables: { table: 'app_variables', id: 'id', column: 'secret' },
  billingCheckoutRequests: { table: 'billing_checkouts', id: 'id', column: 'request' },
  billingCheckoutUrls: { table: 'billing_checkouts', id: 'id', column: 'url' },
  emailBodies: { table: 'email_bodies', id: 'message_id', column: 'key' },
  emailDomains: { table: 'email_domains', id: 'id', column: 'dkim_key' },
  emailDomainsNext: { table: 'email_domains', id: 'id', column: 'next_key' },
  gitHookSecrets: { table: 'git_hook_secrets', id: 'id', column: 'secret' },
  jobEnvs: { table: 'jobs', id: 'id', column: 'sealed_env' },
  provisioningKeys: { table: 'provisioning_orders', id: 'id', column: 'license_key' },
  providerTokens: { table: 'provider_credentials', id: 'provider', column: 'token_enc' },
  secondFactors: { table: 'second_factors', id: 'user_id', column: 'secret' },
  webhookEndpoints: { table: 'webhook_endpoints', id: 'id', column: 'secret' },
  webhookOldSecrets: { table: 'webhook_endpoints', id: 'id', column: 'old_secret' },
} as const satisfies Readonly<Record<string, SecretColumn>>

/** The name of a column with sealed secrets. */
export type SecretColumnName = keyof typeof SECRET_COLUMNS

/** The names of all columns with sealed secrets, in the order of rotation. */
export const SECRET_COLUMN_NAMES = Object.keys(SECRET_COLUMNS) as readonly SecretColumnName[]

/** The place of a secret, which its sealed text is bound to: `<table>.<column>:<id of the row>`. */
export function placeOf(name: SecretColumnName, rowId: string): string {
  const { table, column } = SECRET_COLUMNS[name]
  return `${table}.${column}:${rowId}`
}

/** A secret as it is stored. */
export interface StoredSecret {
  readonly id: string
  readonly text: string
}

/** Stored secrets of all features, for their rotation. */
export interface SecretsStore {
  /** At most `limit` secrets of a column whose ids come after `after`, in the order of their bytes. */
  page(column: SecretColumnName, after: string | undefined, limit: number): Promise<readonly StoredSecret[]>
  /** Replaces a secret that is still `from`. Returns false if it has changed or is gone. */
  replace(
    column: SecretColumnName,
    change: { readonly id: string; readonly from: string; readonly to: string },
  ): Promise<boolean>
}
