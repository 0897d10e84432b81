/** A service that names are pointed to, and its answer for a name that nobody has there. */
interface Provider {
  readonly name: string
  readonly suffix: RegExp
  /** The page of an unclaimed name; undefined: an unclaimed name has no address. */
  readonly says?: RegExp
}

const PROVIDERS: readonly Provider[] = [
  { name: 'GitHub Pages', suffix: /\.github\.io$/, says: /There isn't a GitHub Pages site here/ },
  { name: 'Heroku', suffix: /\.(?:herokuapp|herokudns)\.com$/, says: /no-such-app|No such app/i },
  {
    name: 'Amazon S3',
    suffix: /\.s3[.-][a-z0-9.-]*amazonaws\.com$/,
    says: /<Code>NoSuchBucket<\/Code>/,
  },
  {
    name: 'Azure',
    suffix: /\.(?:azurewebsites|trafficmanager|azureedge|blob\.core\.windows|cloudapp)\.net$/,
  },
  { name: 'Azure', suffix: /\.cloudapp\.azure\.com$/ },
  { name: 'Elastic Beanstalk', suffix: /\.elasticbeanstalk\.com$/ },
  { name: 'Fastly', suffix: /\.fastly\.net$/, says: /Fastly error: unknown domain/ },
  { name: 'Netlify', suffix: /\.netlify\.(?:app|com)$/, says: /Not Found - Request ID/ },
  { name: 'Shopify', suffix: /\.myshopify\.com$/, says: /Sorry, this shop is currently unavailable/ },
  { name: 'Surge', suffix: /\.surge\.sh$/, says: /project not found/i },
  { name: 'Pantheon', suffix: /\.pantheonsite\.io$/, says: /404 error unknown site/i },
  { name: 'Read the Docs', suffix: /\.readthedocs\.io$/, says: /unknown to Read the Docs/i },
  { name: 'Ghost', suffix: /\.ghost\.io$/, says: /The thing you were looking for is no longer here/ },
  { name: 'Bitbucket', suffix: /\.bitbucket\.io$/, says: /Repository not found/ },
  { name: 'Zendesk', suffix: /\.zendesk\.com$/, says: /Help Center Closed/ },
  {
    name: 'Unbounce',
    suffix: /\.unbouncepages\.com$/,
    says: /The requested URL was not found on this server/,
  },
  { name: 'WordPress.com', suffix: /\.wordpress\.com$/, says: /Do you want to register/ },
  { name: 'Fly.io', suffix: /\.fly\.dev$/ },
  { name: 'Render', suffix: /\.onrender\.com$/ },
]

/**
 * Returns the service where a stranger could claim the name: the alias leads there, and nobody has it. `page`
 * is the name's answer; undefined, if it has no address.
 */
export function danglingProvider(alias: string, page: string | undefined): string | undefined {
  const providers = PROVIDERS.filter(({ suffix }) => suffix.test(alias))
  const found = providers.find(({ says }) => (page === undefined ? true : (says?.test(page) ?? false)))
  return found?.name
}
