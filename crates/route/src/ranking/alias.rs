//! Aliases: abbreviations and common technical words of other languages, each mapped to one spelling.
//!
//! Each line has the word that is indexed, then its aliases. Requests and skills are both mapped, so that
//! "k8s" finds "Kubernetes" and 部署 finds "deploy". This is a dictionary and not a translator: a request in a
//! language that no skill uses needs an embedding model or a classifier.

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
environment env
authentication auth authn аутентификация
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
";
