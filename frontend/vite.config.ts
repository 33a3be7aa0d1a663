import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const backend = process.env.NW_DEV_BACKEND ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy: { '/api': backend } },
  build: {
    // The backend serves files under assets/ as immutable, so everything hashed lives there.
    assetsDir: 'assets',
    // A data: address in CSS would need an exception in the content security policy.
    assetsInlineLimit: 0,
    manifest: true,
    // scripts/check-bundle.mjs measures against our own budgets.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://dashboard.test/' } },
    setupFiles: ['src/test/setup.ts'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
    restoreMocks: true,
    testTimeout: 30_000,
    env: { TZ: 'UTC', DEBUG_PRINT_LIMIT: '2000' },
  },
})
