import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const platform = "http://localhost:3000";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    // The colours are written with light-dark(), which these versions understand natively.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The content security policy of the server allows no data: addresses but for images.
    assetsInlineLimit: 0,
    // The licences of what is bundled ask to go with it.
    license: { fileName: "licenses.md" },
  },
  server: {
    proxy: {
      // The platform refuses mutations that come from another origin than its own.
      "/api": { target: platform, headers: { origin: platform } },
      "/docs": platform,
    },
  },
});
