//! Aliases: abbreviations and common technical words of other languages, each mapped to one spelling.
//!
//! Each line has the word that is indexed, then its aliases. Requests and skills are both mapped, so that
//! "k8s" finds "Kubernetes" and 部署 finds "deploy". This is a dictionary and not a translator: a request in a
//! language that no skill uses needs an embedding model or a classifier.
//!
//! Most Chinese words are those that most descriptions of public skills have: many skills are described in Chinese, and
//! their users write English. A word of two characters is one pair, so that longer words are found by their pairs.

/// The table of aliases.
pub(crate) const ALIASES: &str = "\
javascript js
typescript ts
kubernetes k8s kube
postgresql postgres psql
python py
database db 数据库 データベース 資料庫 база базы базу базе datenbank
repository repo repos
configuration config configs configuración konfiguration 配置 設定 설정 настройка настройки
environment env 环境 環境
authentication auth authn аутентификация 认证 認證 認証
authorization authz
documentation docs doc 文档 文件 ドキュメント документация документацию documentação documentación dokumentation 문서
application app apps 应用 приложение приложения aplicación aplicação anwendung
terraform tf
markdown md
powerpoint ppt pptx
excel xlsx xls
image img images imagen imagem imagens bild bilder 图片 图像 画像 圖片 이미지 изображение изображения картинки картинку
video videos vídeo 视频 影片 動画 영상 видео
email mail mails emails correo correos 邮件 メール 이메일 почта почту письмо письма
command cmd 命令 comando comandos befehl команда команды
directory dir folder folders 目录 フォルダ carpeta ordner pasta папка папку dossier
administrator admin
parameter param params 参数
message msg 消息
spreadsheet 表格 スプレッドシート hoja таблица таблицу tabelle tableau planilha
translate 翻译 翻訳 翻譯 traducir übersetzen traduire traduzir перевод перевести 번역
test tests 测试 測試 テスト prueba pruebas тест тесты teste 테스트
code 代码 程式 代碼 コード código код кода 코드
data 数据 資料 データ datos daten donnée données dados данные данных 데이터
deploy 部署 デプロイ desplegar despliegue déployer déploiement implantar bereitstellen деплой развернуть 배포
review 审查 評審 レビュー revisar revisión revisão überprüfen prüfen 检查 检视 проверь проверить 리뷰
search 搜索 検索 查找 搜尋 buscar búsqueda busca suche suchen recherche chercher поиск найти 검색
write 写作 schreiben escribir écrire escrever написать напиши
summarize summary 总结 摘要 要約 總結 resumen resumir zusammenfassung zusammenfassen résumer résumé resumo резюме
report 报告 报表 レポート 報告 informe bericht rapport relatório отчет отчёт 보고
chart 图表 グラフ gráfico gráficos diagramm graphique график графики
analyze analyse analysis 分析 analizar análisis analysieren analyser analisar анализ проанализируй 분석
design 设计 設計 デザイン diseño diseñar entwurf conception дизайн 디자인
website 网站 网页 ウェブ サイト webseite
article 文章 記事 artículo artikel artigo статья статью статьи
paper papers 论文 論文 논문
book 书籍 libro buch livre livro книга книгу
music 音乐 音楽 música musik musique музыка музыку
audio 音频 音声 語音
meeting 会议 会議 reunión besprechung réunion reunião встреча встречи 회의
calendar 日历 カレンダー calendario kalender calendrier calendário календарь
customer client clients cliente clientes kunde kunden клиент клиенты 客户 顧客
price 价格 価格 precio preis prix preço цена цены
stock 股票 株価 acciones aktie aktien акции
security 安全 セキュリティ seguridad sicherheit sécurité segurança безопасность
performance 性能 rendimiento leistung desempenho производительность
error errors 错误 エラー fehler erreur erro ошибка ошибки ошибку 오류
bug bugs fallo
user users 用户 usuario usuarios benutzer utilisateur utilisateurs usuário пользователь пользователи
download 下载 ダウンロード descargar herunterladen télécharger baixar скачать 다운
upload 上传 subir hochladen téléverser enviar загрузить
convert 转换 转成 変換 convertir umwandeln konvertieren converter конвертировать преобразовать
create 创建 作成 生成 crear erstellen créer criar создать создай 생성
wechat weixin 微信
github gh
automation automate 自动 自動 automatizar automatisieren automatiser автоматизировать
workflow 工作 流程 ワークフロー flujo arbeitsablauf fluxo
template 模板 テンプレート plantilla vorlage modèle шаблон
screenshot screenshots 截图 スクリーンショット captura скриншот скриншоты
note notes 笔记 ノート notas notizen заметки заметок
game 游戏 ゲーム juego spiel jeu jogo игра
travel 旅行 viaje reise voyage viagem путешествие
weather 天气 天気 tiempo wetter météo погода
news 新闻 ニュース noticias nachrichten nouvelles notícias новости
plan 计划 計画 规划
project 项目 項目 プロジェクト proyecto projekt projet projeto проект 프로젝트
model 模型 モデル modelo modell
training 训练 学習 entrenamiento
contract 合同 契約 contrato vertrag contrat договор
resume cv 简历 履歴 lebenslauf currículum
marketing 营销 マーケティング
slide slides 幻灯 スライド diapositivas folien слайды
manage 管理
tool 工具
information 信息 資訊 情報
agent 代理
system 系统 系統
scenario 场景 場景
service 服务 服務
skill 技能
process 处理 處理 処理
platform 平台
task 任务 任務 タスク
trigger 触发 觸發
verify 验证 驗證 検証
query 查询 查詢
integrate 集成 整合
optimize 优化 優化 最適
format 格式
develop 开发 開發 開発
strategy 策略 戦略
interact 交互 互动
publish 发布 發布 公開
structure 结构 結構 構造
build 构建 構建 ビルド
status 状态 狀態 状態
send 发送 發送 送信
update 更新
local 本地
text 文本 文字
trade 交易 取引
language 语言 語言 言語
market 市场 市場
monitor 监控 監控 監視
product 产品 產品 製品 商品
research 研究
network 网络 網路 ネットワーク
extract 提取 抽出
track 跟踪 追踪 追蹤 追跡
detect 检测 檢測 検出
evaluate 评估 評估 評価
crypto 加密
browser 浏览 瀏覽 ブラウザ
media 媒体 媒體
quality 质量 品質
identity 身份
list 列表
social 社交
framework 框架
commit 提交 コミット
script 脚本 スクリプト
access 访问 訪問
architecture 架构 架構
key 密钥 密鑰
requirement 需求 要件
dependency 依赖 依賴
protocol 协议 協議
event 事件 イベント
decision 决策 決策
edit 编辑 編輯 編集
guide 指南
knowledge 知识 知識
link 链接 連結 リンク
page 页面 頁面 ページ
version 版本
style 风格 風格 样式 樣式 スタイル
goal 目标 目標 目的
daily 每日 毎日
dialogue 对话 會話 会话 対話 對話
invest 投资 投資
token 代币 令牌 トークン
pay 支付 付款
prompt 提示
risk 风险 風險
audit 审计 審計 監査
log 日志 日誌 ログ
register 注册 註冊 登録
remind 提醒
account 账户 帳戶 账号 帳號
read 阅读 閱讀
interface 界面 接口
scan 扫描 掃描 スキャン
history 历史 歷史
batch 批量 批次
team 团队 團隊 チーム
device 设备 設備
score 评分
parse 解析
rule 规则 規則 ルール
address 地址
metric 指标 指標
delete 删除 刪除 削除
sale 销售 銷售 販売
copywriting 文案
tag 标签 標籤 タグ
memory 内存 记忆 記憶 メモリ
free 免费 免費 無料
learn 学习 學習
cost 成本 费用 費用
wallet 钱包 錢包
route 路由
sync 同步
post 帖子 貼文 投稿
chat 聊天 チャット
notify 通知
predict 预测 預測 予測
collaborate 协作 協作
engine 引擎
progress 进度 進度 進捗
title 标题 標題
debug 调试 調試 デバッグ
recommend 推荐 推薦
enterprise 企业 企業
compare 比较 比較 对比
alert 警报 告警
comment 评论 評論 コメント
export 导出 導出 匯出
collect 收集
business 业务 商业 業務
response 响应
advertisement ad ads 广告 廣告 広告
component 组件 元件 コンポーネント
match 匹配
simulate 模拟 模擬
trend 趋势 趨勢
visual 视觉 可视 視覺 可視
company 公司 会社
checklist 清单 清單
organize 整理
extension 扩展 擴展 拡張
plugin 插件 外掛 プラグイン
community 社区 社群
order 订单 訂單 注文
maintain 维护 維護
role 角色
login 登录 登錄 登入 ログイン
index 索引
reply 回复 回覆 返信
buy 购买 購買 購入
blockchain 区块 块链 區塊
permission 权限 權限 権限
software 软件 軟體
compliance 合规 合規
balance 余额 餘額
engineer 工程
consult 咨询 諮詢
brief 简报 簡報
finance 财务 金融 財務
diagnose 诊断 診斷 診断
fix 修复 修復 修正
brand 品牌
classify 分类 分類
restore 恢复
health 健康
statistics 统计 統計
blog 博客 部落 ブログ
path 路径 路徑
subscription 订阅 訂閱
subtitle 字幕
import 导入 導入 匯入
remote 远程 遠端
filter 过滤 過濾
dashboard 仪表 儀表
photo 照片 写真
location 定位 位置
share 分享 共享 共有
form 表单 表單
schedule 定时 日程 排程
compete 竞争 競爭 竞品
competitor 对手
terminal 终端 終端
upgrade 升级 升級
module 模块 模組
fund 基金 资金
asset 资产 資產
explore 探索
channel 渠道
push 推送
promote 推广 推廣
revenue 收益 收入
survey 调查 调研 調查
branch 分支 ブランチ
evidence 证据 證據
booking 预订 预约 預訂 予約
vulnerability 漏洞 脆弱
node 节点 節點
endpoint 端点 端點
mobile 手机 手機
story 故事
novel 小说 小說
student 学生 學生
course 课程 課程
interview 面试 面試 面接
recruit 招聘
tax 税务 稅務
invoice 发票 發票 請求書
insurance 保险 保險 保険
legal 法律 法务 法務
patent 专利 專利 特許
medical 医疗 醫療 医療
patient 患者
food 食品 美食
recipe 食谱 食譜 レシピ
fitness 健身
movie 电影 電影 映画
comic 漫画 漫畫
animation 动画
portrait 肖像
avatar 头像 頭像
transcribe 转录 轉錄
compress 压缩 壓縮 圧縮
merge 合并 合併 マージ
server 务器 伺服 サーバー サーバ
container 容器 コンテナ
cloud 云端 雲端 クラウド
cluster 集群
cache 缓存 快取 キャッシュ
queue 队列 佇列
function 函数 函數 関数
frontend 前端
backend 后端 後端
refactor 重构 重構 リファクタリング
benchmark 基准 基準
coverage 覆盖 覆蓋
standard 规范 規範 标准
proposal 方案 提案
roadmap 路线 路線
priority 优先 優先
shop 店铺 店鋪 商店
inventory 库存 庫存 在庫
supply 供应 供應
logistics 物流
hotel 酒店 飯店
flight 航班
map 地图 地圖 地図
traffic 流量
keyword 键词 鍵詞
ranking 排名
content 内容 內容
livestream 直播
xiaohongshu 红书
douyin 抖音
feishu 飞书
weibo 微博
taobao 淘宝
quote 报价 報價 見積
fundraising 融资 融資
negotiate 谈判 談判
emotion 情感 情绪 情緒
psychology 心理
divination 占卜
tarot 塔罗
gift 礼物
child 儿童 孩子
pet 宠物 寵物
plant 植物
car 汽车 汽車
option 期权
bitcoin 比特
grammar 语法 語法 文法
english 英语 英文 英語
exam 考试 考試 試験
homework 作业 作業
math 数学 數學
gene 基因
protein 蛋白
experiment 实验 實驗 実験
literature 文献 文獻
citation 引用
academic 学术 學術
journal 期刊
formula 公式
print 打印
font 字体 字體 字型
color 颜色 顏色
layout 布局
icon 图标 圖示
poster 海报 海報
cover 封面
draw 绘画 绘制 繪製
churn 流失
retention 留存
conversion 转化 轉化
voice 语音
practice 实践 實踐
step 步骤 步驟
official 官方
start 启动 啟動 起動
description 描述 說明 说明
input 输入 輸入 入力
output 输出 輸出 出力
adjust 调整 調整
relation 关系 關係
source 来源 來源
contact 联系 聯繫
prepare 准备 準備
production 生产 生產
domain 领域 領域 域名
creative 创意 創意
personal 个性 個性 个人 個人
autonomous 自主
presentation 演示
communicate 沟通 溝通
communication 通信
coordinate 协调 協調
industry 行业 產業
host 托管
value 价值 價值
limit 限制
experience 体验 體驗 体験
infrastructure 设施
troubleshoot 排查
efficient 高效
signal 信号 信號
crawl 抓取 爬取 爬虫 爬蟲
hot 热门 热点 热搜
improve 改进 改善 提升
semantic 语义 語義
click 点击 點擊
change 变更 變更 変更
expert 专家 專家
parallel 并行 並行
reasoning 推理
impact 影响 影響
orchestrate 编排 編排
injection 注入
operation 运营 營運
human 人类 人類
loop 循环 迴圈
privacy 隐私 隱私
password 密码 密碼
draft 草稿
backup 备份 備份
migrate 迁移 遷移 移行
element 元素
discuss 讨论 討論 議論
temperature 温度 溫度
best 最佳
failure 故障 失败 失敗
scope 范围 範圍
life 生命
date 日期
compute 计算 計算
space 空间 空間
topic 主题 主題
expense 报销
salary 工资 薪资
stakeholder 干系
question 提问
install 安装 安裝
answer 回答
explain 解释 解釋
decode 解码
";
