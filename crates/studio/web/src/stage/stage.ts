// The stage: one camera, soft light, a floor that takes shadows; one picture, or two side by side.

import {
  ACESFilmicToneMapping,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  type Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  PMREMGenerator,
  Raycaster,
  Scene,
  ShadowMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { element } from "../controls/element";
import { remember, remembered } from "../shell/memory";

/** More pixels than this per point are not seen. */
const FINEST = 2;
/** Pixels per point while things move, where no graphics card draws them. */
const COARSE = 0.6;
/** Milliseconds after which what stands still is drawn with all pixels. */
const STILL = 350;

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly renderer: WebGLRenderer;
  /** What is seen in one picture only: the first, and the second. */
  readonly lanes = [new Group(), new Group()];
  private readonly key = new DirectionalLight(0xfff4e6, 2.1);
  private readonly floor: Mesh<PlaneGeometry, ShadowMaterial>;
  private readonly watch: ResizeObserver;
  private readonly divide = element("div", "divide");
  /** No graphics card: fewer pixels while things move. */
  private readonly isSlow = isSoftware();
  private settling = 0;
  private isAsked = false;
  private isSplit = false;
  private isClosed = false;
  private home: [Vector3, Vector3] = [new Vector3(0, 0, 1), new Vector3()];

  constructor(
    private readonly box: HTMLElement,
    private readonly name: string,
  ) {
    this.renderer = new WebGLRenderer({
      antialias: !this.isSlow,
      alpha: true,
      powerPreference: "high-performance",
    });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, FINEST));
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 0.82;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    box.append(canvas, this.divide);
    // A room's soft light costs a processor more than all the rest.
    if (!this.isSlow) {
      const room = new PMREMGenerator(this.renderer);
      this.scene.environment = room.fromScene(new RoomEnvironment(), 0.04).texture;
      this.scene.environmentIntensity = 0.5;
      room.dispose();
    }
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.radius = 6;
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.02;
    const rim = new DirectionalLight(0xbfd8ff, 0.9);
    rim.position.set(3, 1.5, -3);
    this.floor = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.34 }));
    this.floor.rotation.x = -Math.PI / 2;
    this.floor.receiveShadow = true;
    const fill = new DirectionalLight(0xe6eeff, this.isSlow ? 0.6 : 0.15);
    fill.position.set(2, 0.6, 3);
    const sky = new HemisphereLight(0xffffff, 0xb8aea0, this.isSlow ? 1.35 : 0.55);
    this.scene.add(sky, fill, this.key, this.key.target, rim, this.floor);
    this.scene.add(...this.lanes);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => {
      remember(`camera:${this.name}`, [this.camera.position.toArray(), this.controls.target.toArray()]);
      this.ask();
    });
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(box);
    this.split(false);
    this.resize();
  }

  /** Looks at a box from a direction; from where it was left, if that was of the same thing. */
  frame(low: Vector3, high: Vector3, from: Vector3, what: string, set: { room?: number; floor?: number } = {}): void {
    const centre = low.clone().add(high).multiplyScalar(0.5);
    const radius = Math.max(0.5 * high.distanceTo(low), 1e-3);
    const distance = ((set.room ?? 1.08) * radius) / Math.sin((0.5 * this.camera.fov * Math.PI) / 180);
    this.home = [centre.clone().addScaledVector(from.clone().normalize(), distance), centre];
    this.camera.near = distance / 200;
    this.camera.far = distance * 30;
    this.key.position.copy(centre).add(new Vector3(-0.75, 1.5, 0.6).multiplyScalar(2.4 * radius));
    this.key.target.position.copy(centre);
    const shadow = this.key.shadow.camera;
    [shadow.left, shadow.right, shadow.top, shadow.bottom] = [-2, 2, 2, -2].map((k) => k * radius);
    [shadow.near, shadow.far] = [0.1 * radius, 8 * radius];
    shadow.updateProjectionMatrix();
    this.key.shadow.normalBias = 0.018 * radius;
    this.floor.scale.setScalar(14 * radius);
    this.floor.position.set(centre.x, (set.floor ?? low.y) - 0.002 * radius, centre.z);
    const before = remembered<[string, number[], number[]] | null>(`view:${this.name}`, null);
    const camera = remembered<[number[], number[]] | null>(`camera:${this.name}`, null);
    if (before && before[0] === what && camera) {
      this.camera.position.fromArray(camera[0]);
      this.controls.target.fromArray(camera[1]);
      this.controls.update();
    } else this.goHome();
    remember(`view:${this.name}`, [what]);
    this.ask();
  }

  goHome(): void {
    this.camera.position.copy(this.home[0]);
    this.controls.target.copy(this.home[1]);
    this.controls.update();
    this.camera.updateProjectionMatrix();
    this.ask();
  }

  set hasFloor(is: boolean) {
    this.floor.visible = is;
  }

  /** Shows the second picture beside the first. */
  split(is: boolean): void {
    this.divide.hidden = !is;
    if (is === this.isSplit) return;
    this.isSplit = is;
    this.resize();
  }

  /** Draws when the screen is ready for it. */
  ask(): void {
    if (this.isAsked || this.isClosed) return;
    this.isAsked = true;
    requestAnimationFrame(() => this.draw());
  }

  /** Draws now. */
  draw(): void {
    this.isAsked = false;
    if (this.isClosed) return;
    if (this.isSlow) {
      clearTimeout(this.settling);
      this.setPixels(COARSE);
      this.settling = window.setTimeout(() => {
        this.setPixels(Math.min(1.5 * devicePixelRatio, FINEST));
        this.render();
      }, STILL);
    }
    this.render();
  }

  private setPixels(ratio: number): void {
    if (this.renderer.getPixelRatio() === ratio) return;
    this.renderer.setPixelRatio(ratio);
  }

  private render(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (this.isClosed || width === 0 || height === 0) return;
    const views = this.isSplit ? 2 : 1;
    this.renderer.setScissorTest(true);
    for (let k = 0; k < views; k += 1) {
      this.lanes[0].visible = k === 0;
      this.lanes[1].visible = k === 1;
      this.renderer.setViewport((k * width) / views, 0, width / views, height);
      this.renderer.setScissor((k * width) / views, 0, width / views, height);
      this.renderer.render(this.scene, this.camera);
    }
  }

  /** A ray through a place of the page, and which picture it is in. */
  ray(event: { clientX: number; clientY: number }): { caster: Raycaster; lane: number } {
    const box = this.renderer.domElement.getBoundingClientRect();
    const width = box.width / (this.isSplit ? 2 : 1);
    const across = event.clientX - box.left;
    const lane = this.isSplit && across > width ? 1 : 0;
    const point = new Vector2(
      ((across - lane * width) / width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    );
    const caster = new Raycaster();
    caster.setFromCamera(point, this.camera);
    return { caster, lane };
  }

  /** Where a point is on the page. */
  project(point: Vector3, lane = 0): { x: number; y: number } {
    const box = this.renderer.domElement.getBoundingClientRect();
    const seen = point.clone().project(this.camera);
    const width = box.width / (this.isSplit ? 2 : 1);
    return {
      x: box.left + lane * width + ((seen.x + 1) / 2) * width,
      y: box.top + ((1 - seen.y) / 2) * box.height,
    };
  }

  /** A colour of the style. */
  colour(name: string): Color {
    return new Color(getComputedStyle(this.box).getPropertyValue(name).trim() || "#888");
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.settling);
    this.watch.disconnect();
    this.controls.dispose();
    this.scene.traverse((part: Object3D) => {
      if (part instanceof Mesh) {
        part.geometry.dispose();
        for (const material of [part.material].flat()) material.dispose();
      }
    });
    this.scene.environment?.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / (this.isSplit ? 2 : 1) / height;
    this.camera.updateProjectionMatrix();
    this.ask();
  }
}

/** Whether pictures are drawn by the processor. */
function isSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const extension = context?.getExtension("WEBGL_debug_renderer_info");
  const name = extension ? String(context?.getParameter(extension.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
