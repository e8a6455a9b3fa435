// As of `next14`.
export default {
  experimental: { cpus: 1 },
  webpack: config => ({ ...config, optimization: { ...config.optimization, minimize: false } }),
}
