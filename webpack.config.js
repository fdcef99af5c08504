/**
 * Builds the viewer (www/) to dist-www/. The viewer imports the built package by its name through
 * the `exports` of package.json, as other pages do. So the package must be built first
 * (`npm run build:quick`).
 */
import { join } from "node:path";
import HtmlWebpackPlugin from "html-webpack-plugin";

const at = (path) => join(import.meta.dirname, path);

/** Modules of the package that the first script needs at once. */
const NEEDED_FIRST = /[\\/]dist[\\/]modules[\\/](engine\.wasm|engine-programs\.js|conventions-wasm\.js)$/;

/**
 * Names in the page's head what its first script loads, which a browser would find later. The
 * engine's scripts run when they arrive, so that it starts before the long script of the page runs.
 */
class LoadedFirst {
  apply(compiler) {
    compiler.hooks.compilation.tap("LoadedFirst", (compilation) => {
      HtmlWebpackPlugin.getHooks(compilation).alterAssetTagGroups.tap("LoadedFirst", ({ headTags }) => {
        headTags.push(...engineTags(compilation), ...pageTags(compilation));
      });
    });
  }
}

const tag = HtmlWebpackPlugin.createHtmlTagObject;

const pageTags = ({ namedChunkGroups }) =>
  namedChunkGroups
    .get("page")
    .getFiles()
    .filter((file) => file.endsWith(".js"))
    .map((href) => tag("link", { rel: "preload", as: "script", href }));

function engineTags({ modules, chunkGraph, outputOptions }) {
  const wasm = { rel: "preload", as: "fetch", type: "application/wasm", crossorigin: "anonymous" };
  const tagsOf = (module) => {
    const { filename } = module.buildInfo;
    if (filename) return [tag("link", { ...wasm, href: filename })];
    const [chunk] = chunkGraph.getModuleChunks(module);
    // webpack finds a script that is loading by this attribute.
    const known = { "data-webpack": `${outputOptions.uniqueName}:chunk-${chunk.id}` };
    return [...chunk.files].map((src) => tag("script", { async: true, src, ...known }));
  };
  return [...modules].filter(({ resource }) => NEEDED_FIRST.test(resource)).flatMap(tagsOf);
}

export default {
  mode: process.env.NODE_ENV ?? "production",
  // Source maps would double the size of the folder.
  devtool: process.env.NODE_ENV === "development" ? "source-map" : false,
  entry: { main: "./www/src/app/main.ts" },
  output: {
    path: at("dist-www"),
    filename: "[name].[contenthash:8].js",
    cssFilename: "[name].[contenthash:8].css",
    assetModuleFilename: "[name].[contenthash:8][ext]",
    clean: true,
  },
  experiments: { css: true },
  resolve: {
    extensions: [".ts", ".js"],
    extensionAlias: { ".js": [".ts", ".js"] },
  },
  module: {
    rules: [
      { test: /\.ts$/, exclude: /node_modules/, loader: "esbuild-loader", options: { target: "es2022" } },
      // `sideEffects: false` of package.json is for the package. It would drop our style sheet.
      { test: /\.css$/, sideEffects: true },
    ],
  },
  plugins: [new HtmlWebpackPlugin({ template: "./www/index.html" }), new LoadedFirst()],
  performance: { hints: false }, // sizes.json has the sizes of the package
  devServer: {
    static: [
      { directory: at("www/samples"), publicPath: "/samples/" },
      { directory: at("www/examples"), publicPath: "/examples/" },
      { directory: at("target/examples"), publicPath: "/examples/modules/" },
      { directory: at("target/embed"), publicPath: "/" },
    ],
    // Pages of other sites may read the samples, not the viewer.
    headers: ({ url }) => (url.startsWith("/samples/") ? { "Access-Control-Allow-Origin": "*" } : {}),
    hot: false, // workers and decoded chunks would survive; a reload is simpler
  },
};
