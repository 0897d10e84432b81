import type { AppDomain, NewAppDomain } from './app-domain.ts'

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly appDomains: AppDomainsStore
  }
}

/** Storage of the domains of apps, each with the state of its newest job. They go with their app. */
export interface AppDomainsStore {
  find(licenseId: string, domain: string): Promise<AppDomain | undefined>
  /** The domains of an app by name. */
  list(appId: string): Promise<readonly AppDomain[]>
  /** Stores a domain in place of the app's own of this name; false when another app of the license has it. */
  put(domain: NewAppDomain, now?: Date): Promise<boolean>
  remove(licenseId: string, domain: string): Promise<boolean>
}
