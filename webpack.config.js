/**
 * Builds the viewer (www/) to dist-www/. The viewer imports the built package by its name through
 * the `exports` of package.json, as other pages do. So the package must be built first
 * (`npm run build:quick`).
 */
import { join } from "node:path";
import HtmlWebpackPlugin from "html-webpack-plugin";

const at = (path) => join(import.meta.dirname, path);

export default {
  mode: process.env.NODE_ENV ?? "production",
  // Source maps would double the size of the folder.
  devtool: process.env.NODE_ENV === "development" ? "source-map" : false,
  entry: {
    // A small script of its own, so that the engine starts while the rest of the page loads.
    preload: "./www/src/app/preload.ts",
    main: { import: "./www/src/app/main.ts", dependOn: "preload" },
  },
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
  plugins: [new HtmlWebpackPlugin({ template: "./www/index.html" })],
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
