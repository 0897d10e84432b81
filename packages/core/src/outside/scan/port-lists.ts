/** Ports that a scan looks at when nothing else is asked for. */
export const DEFAULT_PORTS: readonly number[] = [
  21, 22, 23, 25, 53, 80, 81, 110, 111, 135, 139, 143, 389, 443, 445, 465, 587, 636, 873, 993, 995, 1433,
  1521, 1883, 2049, 2181, 2375, 2376, 2379, 3000, 3128, 3306, 3389, 4369, 5000, 5432, 5601, 5672, 5900, 5984,
  6379, 6443, 7001, 8000, 8008, 8080, 8081, 8086, 8088, 8443, 8500, 8888, 9000, 9042, 9090, 9092, 9200, 9300,
  10250, 11211, 15672, 27017, 50000,
]

/** The hundred ports that are open most often. */
export const TOP_PORTS: readonly number[] = [
  7, 9, 13, 21, 22, 23, 25, 26, 37, 53, 79, 80, 81, 88, 106, 110, 111, 113, 119, 135, 139, 143, 144, 179, 199,
  389, 427, 443, 444, 445, 465, 513, 514, 515, 543, 544, 548, 554, 587, 631, 646, 873, 990, 993, 995, 1025,
  1026, 1027, 1028, 1029, 1110, 1433, 1720, 1723, 1755, 1900, 2000, 2001, 2049, 2121, 2717, 3000, 3128, 3306,
  3389, 3986, 4899, 5000, 5009, 5051, 5060, 5101, 5190, 5357, 5432, 5631, 5666, 5800, 5900, 6000, 6001, 6646,
  7070, 8000, 8008, 8009, 8080, 8081, 8443, 8888, 9100, 9999, 10000, 32768, 49152, 49153, 49154, 49155, 49156,
  49157,
]

/** The only ports of an address that is not known to be the license's own, or that is a CDN's. */
export const WEB_PORTS: readonly number[] = [80, 443]

/** The ports to look at. An address that is not attested has its web ports alone, for any request. */
export function portsOf(
  asked: 'default' | 'top100' | readonly number[],
  { attested, cdn }: { readonly attested: boolean; readonly cdn: string | null },
): readonly number[] {
  const ports = asked === 'default' ? DEFAULT_PORTS : asked === 'top100' ? TOP_PORTS : asked
  return attested && cdn === null ? [...new Set(ports)] : ports.filter((port) => WEB_PORTS.includes(port))
}

/** Names of services by their usual port. */
export const SERVICE_NAMES: Readonly<Record<number, string>> = {
  21: 'ftp',
  22: 'ssh',
  23: 'telnet',
  25: 'smtp',
  53: 'dns',
  80: 'http',
  81: 'http',
  110: 'pop3',
  111: 'rpcbind',
  135: 'msrpc',
  139: 'netbios',
  143: 'imap',
  389: 'ldap',
  443: 'https',
  445: 'smb',
  465: 'smtps',
  587: 'submission',
  636: 'ldaps',
  873: 'rsync',
  993: 'imaps',
  995: 'pop3s',
  1433: 'mssql',
  1521: 'oracle',
  1883: 'mqtt',
  2049: 'nfs',
  2181: 'zookeeper',
  2375: 'docker',
  2376: 'docker-tls',
  2379: 'etcd',
  3000: 'http',
  3128: 'http-proxy',
  3306: 'mysql',
  3389: 'rdp',
  4369: 'epmd',
  5000: 'http',
  5432: 'postgresql',
  5601: 'kibana',
  5672: 'amqp',
  5900: 'vnc',
  5984: 'couchdb',
  6379: 'redis',
  6443: 'kubernetes',
  7001: 'weblogic',
  8000: 'http',
  8008: 'http',
  8080: 'http',
  8081: 'http',
  8086: 'influxdb',
  8088: 'http',
  8443: 'https',
  8500: 'consul',
  8888: 'http',
  9000: 'http',
  9042: 'cassandra',
  9090: 'http',
  9092: 'kafka',
  9200: 'elasticsearch',
  9300: 'elasticsearch-transport',
  10250: 'kubelet',
  11211: 'memcached',
  15672: 'rabbitmq-management',
  27017: 'mongodb',
  50000: 'http',
}

/** Ports whose service begins with TLS. */
export const TLS_PORTS: ReadonlySet<number> = new Set([443, 465, 636, 993, 995, 2376, 6443, 8443, 10250])
